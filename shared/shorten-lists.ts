// Cuts lists and maps that a schema refuses: it would name every one of a hundred thousand wrong entries, which takes longer than
// all else of a request, and at most a hundred problems are told (D-22). Knows no route.
import { z } from 'zod'

/** What holds fewer entries, those of lists and maps within it among them, is left to the schema. */
const longFrom = 1_000
const maxTold = 100

type Schema = z.core.$ZodType
type Entries = Readonly<Record<string, unknown>>
/** A value, and how many entries its lists and maps hold in all. */
type Sized = readonly [value: unknown, entries: number]

/** The value, with lists that are too long, and lists and maps that hold many wrong entries, cut behind what shows it. */
export function shortenLists(schema: Schema, value: unknown): unknown {
  return shorten(schema, value)[0]
}

function shorten(schema: Schema, value: unknown): Sized {
  if (typeof value !== 'object' || value === null) return [value, 0]
  const def = schema._zod.def as z.core.$ZodTypes['_zod']['def']
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
      return shorten(def.innerType, value)
    case 'pipe':
      return shorten(def.in, value)
    case 'union': {
      const form = Array.isArray(value) ? 'array' : 'object'
      const [option, ...others] = def.options.filter(({ _zod }) => _zod.def.type === form)
      return option === undefined || others.length > 0 ? [value, 0] : shorten(option, value)
    }
    case 'object':
      return Array.isArray(value) ? [value, 0] : shortenMembers(def.shape, value as Entries)
    case 'array':
      return Array.isArray(value) ? shortenList(def, value) : [value, 0]
    case 'record':
      return Array.isArray(value) || takesAnything(def) ? [value, 0] : shortenMap(def, value as Entries)
    default:
      return [value, 0]
  }
}

function shortenMembers(shape: Readonly<Record<string, Schema>>, value: Entries): Sized {
  let shorter: Record<string, unknown> | undefined
  let entries = 0
  for (const key in shape) {
    if (!Object.hasOwn(value, key)) continue
    const [member, more] = shorten(shape[key]!, value[key])
    entries += more
    if (member !== value[key]) (shorter ??= { ...value })[key] = member
  }
  return [shorter ?? value, entries]
}

function shortenList({ element, checks = [] }: z.core.$ZodArrayDef, list: readonly unknown[]): Sized {
  const most = checks
    .map(({ _zod }) => _zod.def as { readonly check: string; readonly maximum?: number })
    .find(({ check }) => check === 'max_length')?.maximum
  const within = most !== undefined && list.length > most ? list.slice(0, most + 1) : list
  const [items, entries] = shortenEach(element, within)
  const end = endOf(items, entries, (item) => problemsOf(element, item))
  return [end === undefined ? items : items.slice(0, end), entries]
}

function shortenMap({ keyType, valueType }: z.core.$ZodRecordDef, map: Entries): Sized {
  const keys = Object.keys(map)
  const values = Object.values(map)
  const [members, entries] = shortenEach(valueType, values)
  const end = endOf(keys, entries, (key, at) => problemsOf(keyType, key) + problemsOf(valueType, members[at]))
  if (end === undefined && members === values) return [map, entries]
  return [Object.fromEntries(keys.slice(0, end).map((key, at) => [key, members[at]])), entries]
}

/** Whether no entry of a map can be wrong, as those of records and items. */
function takesAnything({ keyType, valueType }: z.core.$ZodRecordDef): boolean {
  const key = keyType._zod.def as { readonly type: string; readonly checks?: readonly unknown[] }
  return valueType._zod.def.type === 'unknown' && key.type === 'string' && (key.checks?.length ?? 0) === 0
}

/** The values, each of them shortened; the same list where none is. */
function shortenEach(
  schema: Schema,
  values: readonly unknown[],
): readonly [values: readonly unknown[], entries: number] {
  let shorter: unknown[] | undefined
  let entries = values.length
  for (const [at, value] of values.entries()) {
    if (typeof value !== 'object' || value === null) continue
    const [part, more] = shorten(schema, value)
    entries += more
    if (part !== value) (shorter ??= [...values])[at] = part
  }
  return [shorter ?? values, entries]
}

/** Where to cut what has more problems than are told; undefined where nothing is cut. */
function endOf<T>(parts: readonly T[], entries: number, problems: (part: T, at: number) => number): number | undefined {
  if (entries < longFrom) return undefined
  let told = 0
  const last = parts.findIndex((part, at) => (told += problems(part, at)) >= maxTold)
  return last === -1 ? undefined : last + 1
}

function problemsOf(schema: Schema, value: unknown): number {
  return z.core.safeParse(schema, value).error?.issues.length ?? 0
}
