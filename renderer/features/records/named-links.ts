// Owns naming the records that stored links lead to, for questions about values that come without them.
import { leadsToRecord } from '../../fields/index.ts'
import { call } from '../../lib/api-client.ts'
import { displayFieldOf, readObjects } from '../objects/index.ts'

/** A link with what its record is called; links are shown by it. */
export class NamedLink {
  readonly id: string
  readonly name: string

  constructor(id: string, name: string) {
    this.id = id
    this.name = name
  }
}

/**
 * Values of a field, the ids of a link as {@link NamedLink}. A record that cannot be read keeps its id, and so do all when
 * they cannot be asked for: the question they are part of matters more. Never rejects.
 */
export async function withNames(
  object: string,
  field: string,
  values: readonly unknown[],
): Promise<readonly unknown[]> {
  const names = await namesOf(object, field, values).catch(() => new Map<unknown, string>())
  const named = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(named)
    const name = names.get(value)
    return name === undefined ? value : new NamedLink(String(value), name)
  }
  return values.map(named)
}

async function namesOf(object: string, field: string, values: readonly unknown[]): Promise<Map<unknown, string>> {
  const ids = [...new Set(values.flat().filter((value) => typeof value === 'string' && value !== ''))]
  const objects = ids.length === 0 ? [] : await readObjects()
  const link = objects.find(({ name }) => name === object)?.fields[field]
  if (!link || !leadsToRecord(link.type)) return new Map()
  const target = objects.find(({ name }) => name === (link.reference ?? object))
  const display = target && displayFieldOf(target)
  if (!target || display === undefined) return new Map()
  const { records } = await call('listRecords', {
    params: { object: target.name },
    query: { filter: JSON.stringify({ id: { $in: ids } }), select: `id,${display}`, top: ids.length },
  })
  return new Map(
    records.flatMap((record) =>
      record[display] == null ? [] : [[String(record.id), String(record[display])] as const],
    ),
  )
}
