// Finds the keys of a value that its schema does not know, at every depth (D-107). Pure; knows zod's insides, no item.
import type { z } from 'zod'
import { isJsonMap } from '#shared/merge-patch.ts'

type Def = z.core.$ZodTypes['_zod']['def']

/** The paths of unknown keys, for example `widgets.0.colour`. Values that do not fit their schema are passed over. */
export function unknownKeys(schema: z.core.$ZodType, value: unknown, path = ''): string[] {
  const def = schema._zod.def as Def
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
      return unknownKeys(def.innerType, value, path)
    case 'lazy':
      return unknownKeys(def.getter(), value, path)
    case 'array':
      if (!Array.isArray(value)) return []
      return value.flatMap((element: unknown, index) => unknownKeys(def.element, element, join(path, String(index))))
    case 'record':
      if (!isJsonMap(value)) return []
      return Object.entries(value).flatMap(([key, member]) => unknownKeys(def.valueType, member, join(path, key)))
    case 'object':
      if (!isJsonMap(value)) return []
      return Object.entries(value).flatMap(([key, member]) => {
        const at = join(path, key)
        return Object.hasOwn(def.shape, key) ? unknownKeys(def.shape[key]!, member, at) : [at]
      })
    case 'union':
      return unionKeys(def.options, value, path)
    default:
      return []
  }
}

/** Of the forms a value fits, the one that knows most of it. */
function unionKeys(options: readonly z.core.$ZodType[], value: unknown, path: string): string[] {
  const fitting = options.filter((option) => (option as z.ZodType).safeParse(value).success)
  const [best] = fitting.map((option) => unknownKeys(option, value, path)).toSorted((a, b) => a.length - b.length)
  return best ?? []
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}
