// JSON of facts: written and read with limits on its depth and on the number of its values, and without the one key that
// reaches the prototype of an object (safety rule P9). Knows no envelope.
import type { Json } from '../core/types.ts'
import { WireError } from './wire-error.ts'

/** How deep lists and objects may lie in each other. */
export const jsonDepthLimit = 32

/** How many values a text may hold: one byte of text can cost sixteen of memory. */
export const jsonValueLimit = 65_536

/** The text of a value. @throws WireError when it is not what the reader would accept */
export function writeJson(value: Json): string {
  checkValue(value)
  const text = JSON.stringify(value)
  checkText(text)
  return text
}

/** The value of a text. @throws WireError */
export function readJson(text: string): Json {
  checkText(text)
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch {
    throw new WireError('malformed', 'A value is no JSON.')
  }
  checkValue(value)
  return value
}

/** Counts before anything is made of the text, so that a small text cannot ask for much memory or a deep stack. */
function checkText(text: string): void {
  let depth = 0
  let values = 1
  let isInString = false
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (isInString) {
      if (code === backslash) index += 1
      else if (code === quote) isInString = false
    } else if (code === quote) isInString = true
    else if (code === comma) values += 1
    else if (code === openList || code === openObject) {
      depth += 1
      values += 1
      if (depth > jsonDepthLimit)
        throw new WireError('too_large', `A value is more than ${jsonDepthLimit} levels deep.`)
    } else if (code === closeList || code === closeObject) depth -= 1
    if (values > jsonValueLimit) throw new WireError('too_large', `There are more than ${jsonValueLimit} values.`)
  }
}

const quote = 0x22
const comma = 0x2c
const openList = 0x5b
const backslash = 0x5c
const closeList = 0x5d
const openObject = 0x7b
const closeObject = 0x7d

/** Its depth is known to be small, except when it is written: a value in a circle ends at the limit. */
function checkValue(value: unknown, depth = 0): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new WireError('malformed', 'A number is not finite.')
    return
  }
  if (typeof value !== 'object') throw new WireError('malformed', `JSON has no ${typeof value}.`)
  if (depth >= jsonDepthLimit) throw new WireError('too_large', `A value is more than ${jsonDepthLimit} levels deep.`)
  if (Array.isArray(value)) {
    for (const item of value) checkValue(item, depth + 1)
    return
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null)
    throw new WireError('malformed', 'JSON has lists and plain objects alone.')
  for (const [key, item] of Object.entries(value)) {
    if (key === '__proto__') throw new WireError('malformed', 'An object has the key __proto__.')
    checkValue(item, depth + 1)
  }
}
