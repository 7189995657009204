// JSON values inside of documents: what counts as one, and how those travel that the encoding of Yjs cannot hold. Knows
// no document.
import type { Json } from './types.ts'

/** How deep a value in a document may be nested. @source sync.md section 10 */
export const MAX_VALUE_DEPTH = 16

/** Values nested deeper than this are stored as text: an entry around them counts too, and bodies may have 64 levels. */
const PACK_FROM_DEPTH = 12
/** The only key of the object that stands for a value stored as text. */
const PACKED_KEY = '\0json'

/** Whether a value is JSON of at most {@link MAX_VALUE_DEPTH} levels, whatever it came from. */
export function isJson(value: unknown, levels = MAX_VALUE_DEPTH): value is Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true
    case 'number':
      return Number.isFinite(value)
    case 'object':
      if (value === null) return true
      if (levels === 0) return false
      if (Array.isArray(value)) return value.every((item) => isJson(item, levels - 1))
      return isPlain(value) && Object.values(value).every((item) => isJson(item, levels - 1))
    default:
      return false
  }
}

/**
 * The form in which a value is put into a document: itself, or text for what Yjs would change on the way (lone
 * surrogates, a key `__proto__`) or what is nested too deeply for a receiver.
 * @throws TypeError when the value is not JSON
 */
export function packValue(value: Json): Json {
  return isSimple(value, PACK_FROM_DEPTH) && !isPacked(value) ? value : { [PACKED_KEY]: JSON.stringify(value) }
}

/** The value that {@link packValue} packed. Text that is not JSON stays what it is. */
export function unpackValue(stored: Json): Json {
  if (!isPacked(stored)) return stored
  try {
    return JSON.parse(stored[PACKED_KEY] as string) as Json
  } catch {
    return stored
  }
}

/** Whether two values are the same JSON; the order of keys says nothing. */
export function sameJson(a: Json, b: Json): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => sameJson(item as Json, b[i] as Json))
  }
  if (Array.isArray(b)) return false
  const left = Object.entries(a)
  return (
    left.length === Object.keys(b).length &&
    left.every(([key, item]) => Object.hasOwn(b, key) && sameJson(item as Json, (b as Record<string, Json>)[key]!))
  )
}

function isPacked(value: Json): value is { readonly [PACKED_KEY]: string } {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, PACKED_KEY)) return false
  return typeof (value as Record<string, Json>)[PACKED_KEY] === 'string' && Object.keys(value).length === 1
}

/** Whether Yjs gives the value back as it is. */
function isSimple(value: Json, levels: number): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (value === null || typeof value === 'boolean') return true
  if (typeof value === 'number' && Number.isFinite(value)) return true
  if (Array.isArray(value)) return everySimple(value, levels)
  if (typeof value !== 'object' || !isPlain(value)) throw new TypeError('The value of an entry must be JSON.')
  const keys = Object.keys(value)
  // All values are looked at, so that what is not JSON is found behind the first key that needs text.
  const simple = everySimple(Object.values(value), levels)
  return simple && keys.every((key) => key !== '__proto__' && key.isWellFormed())
}

function everySimple(values: readonly Json[], levels: number): boolean {
  let simple = levels > 0
  for (const value of values) if (!isSimple(value, levels - 1)) simple = false
  return simple
}

/** Whether an object is one of JSON: of no class and with nothing inherited. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
