// Cuts lists and maps that a schema refuses: it would name every one of a hundred thousand wrong entries, which takes longer than
// all else of a request, and at most a hundred problems are told (D-22). Knows no route.
import { z } from 'zod'

/** Shorter ones are left to the schema. */
const longFrom = 1_000
const maxRefused = 100

/** The value, with lists that are too long, and lists and maps that hold many wrong entries, cut behind what shows it. */
export function shortenLists(schema: z.core.$ZodType, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const def = schema._zod.def as z.core.$ZodTypes['_zod']['def']
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
      return shortenLists(def.innerType, value)
    case 'pipe':
      return shortenLists(def.in, value)
    case 'union': {
      const form = Array.isArray(value) ? 'array' : 'object'
      const [option, ...others] = def.options.filter(({ _zod }) => _zod.def.type === form)
      return option === undefined || others.length > 0 ? value : shortenLists(option, value)
    }
    case 'object':
      return Array.isArray(value) ? value : shortenMembers(def.shape, value as Readonly<Record<string, unknown>>)
    case 'array':
      return Array.isArray(value) ? shortenList(def, value) : value
    case 'record':
      return Array.isArray(value) ? value : shortenMap(def, value as Readonly<Record<string, unknown>>)
    default:
      return value
  }
}

function shortenMembers(
  shape: Readonly<Record<string, z.core.$ZodType>>,
  value: Readonly<Record<string, unknown>>,
): unknown {
  let shorter: Record<string, unknown> | undefined
  for (const key in shape) {
    if (!Object.hasOwn(value, key)) continue
    const member = shortenLists(shape[key]!, value[key])
    if (member !== value[key]) (shorter ??= { ...value })[key] = member
  }
  return shorter ?? value
}

function shortenList({ element, checks = [] }: z.core.$ZodArrayDef, list: readonly unknown[]): unknown {
  const most = checks
    .map(({ _zod }) => _zod.def as { readonly check: string; readonly maximum?: number })
    .find(({ check }) => check === 'max_length')?.maximum
  if (most !== undefined && list.length > most) return list.slice(0, most + 1)
  const end = endOf(list, (item) => fits(element, item))
  return end === undefined ? list : list.slice(0, end)
}

function shortenMap(
  { keyType, valueType }: z.core.$ZodRecordDef,
  map: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const entries = Object.entries(map)
  const end = endOf(entries, ([key, member]) => fits(keyType, key) && fits(valueType, member))
  return end === undefined ? map : Object.fromEntries(entries.slice(0, end))
}

/** Where to cut what holds more wrong entries than are told; undefined where nothing is cut. */
function endOf<T>(entries: readonly T[], isFit: (entry: T) => boolean): number | undefined {
  if (entries.length < longFrom) return undefined
  let refused = 0
  const last = entries.findIndex((entry) => !isFit(entry) && ++refused === maxRefused)
  return last === -1 ? undefined : last + 1
}

function fits(schema: z.core.$ZodType, value: unknown): boolean {
  return z.core.safeParse(schema, value).success
}
