// Which fields hold what must never stand in a file or in the results of a job.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'

const concealed: ReadonlySet<string> = new Set(['password', 'secret'])

/** Whether the values of a field are secrets. */
export function isConcealed(field: Pick<FieldSchema, 'type'>): boolean {
  return concealed.has(field.type)
}
