// Which bodies carry rows, read from their contracts: a record with a list in a field is no batch. Knows no request.
import { z } from 'zod'

/** Counts the rows of a parsed body; null for contracts whose body carries none. */
export type RowCounter = (body: unknown) => number

/**
 * Makes the counter of a contract: a body counts by its own length where the contract allows a list, else by its
 * longest member that the contract declares as a list.
 * @source D-200
 */
export function createRowCounter(schema: z.ZodType | undefined): RowCounter | null {
  if (schema === undefined) return null
  const members = new Set<string>()
  const isList = collectLists(schema, members)
  if (!isList && members.size === 0) return null
  const names = [...members]
  return (body) => {
    if (Array.isArray(body)) return isList ? body.length : 0
    if (typeof body !== 'object' || body === null) return 0
    const values = names.map((name) => (body as Record<string, unknown>)[name])
    return values.reduce<number>((most, value) => (Array.isArray(value) ? Math.max(most, value.length) : most), 0)
  }
}

/** Adds the members that are lists; answers whether the body itself may be one. */
function collectLists(schema: z.core.$ZodType, members: Set<string>): boolean {
  const inner = unwrap(schema)
  if (inner instanceof z.ZodArray) return true
  if (inner instanceof z.ZodUnion) return inner.options.map((option) => collectLists(option, members)).some(Boolean)
  if (inner instanceof z.ZodObject) {
    for (const [name, member] of Object.entries(inner.shape)) {
      if (unwrap(member as z.core.$ZodType) instanceof z.ZodArray) members.add(name)
    }
  }
  return false
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return unwrap(schema.unwrap())
  }
  return schema instanceof z.ZodPipe ? unwrap(schema.in) : schema
}
