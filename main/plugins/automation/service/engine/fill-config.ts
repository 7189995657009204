// The configuration of a node with its templates filled in: which of its members are filters, which are no templates at all.
import type { TextFiller } from '#shared/expression/templates.ts'
import { fillWith } from '#shared/expression/templates.ts'
import { fillFilter } from '#shared/filter/filter-templates.ts'
import type { NodeType } from '../../api.ts'

type Config = Readonly<Record<string, unknown>>

/**
 * Fills the templates of a node's configuration.
 * @throws validation_error where a template of a filter brings more than a value; whatever `fill` throws
 */
export function fillConfig(
  config: Config,
  { verbatim = [], filters = [] }: Pick<NodeType, 'verbatim' | 'filters'>,
  fill: TextFiller,
): Config {
  return fillMembers(config, 'config', new Set(verbatim), filters, fill)
}

function fillMembers(
  config: Config,
  at: string,
  verbatim: ReadonlySet<string>,
  filters: readonly string[],
  fill: TextFiller,
): Config {
  return Object.fromEntries(
    Object.entries(config).map(([name, value]) => {
      if (verbatim.has(name)) return [name, value]
      if (filters.includes(name)) return [name, fillFilter(value, fill, `${at}.${name}`)]
      const inner = filters.filter((path) => path.startsWith(`${name}.`)).map((path) => path.slice(name.length + 1))
      if (inner.length === 0 || typeof value !== 'object' || value === null || Array.isArray(value))
        return [name, fillWith(value, fill)]
      return [name, fillMembers(value as Config, `${at}.${name}`, none, inner, fill)]
    }),
  )
}

const none: ReadonlySet<string> = new Set()
