// The field type `autonumber`: a number the server issues, written through a format.
import { z } from 'zod'
import type { FieldType } from './field-type.ts'
import { refused } from './field-type.ts'
import { textualType } from './textual.ts'

/** Writes a number through a format of `{0000}`, `{YYYY}`, `{MM}`, `{DD}` and plain text. `date` is `YYYY-MM-DD`. */
export function formatAutonumber(format: string, number: number, date: string): string {
  const [year = '', month = '', day = ''] = date.split('-')
  return format.replace(/\{(0+|YYYY|MM|DD)\}/g, (_match, part: string) => {
    if (part === 'YYYY') return year
    if (part === 'MM') return month
    if (part === 'DD') return day
    return String(number).padStart(part.length, '0')
  })
}

/** A number the server issues at create; gaps are possible, reuse is not. @source D-94 */
export const autonumberType: FieldType = {
  ...textualType({
    operators: 'T',
    flags: { search: 'default', sortable: true, groupable: false, aggregatable: 'none' },
    maxLength: 200,
    settings: {
      autonumberFormat: z
        .string()
        .max(100)
        // A counter, and no braces around anything else than a part of the date.
        .regex(/^(?:[^{}]|\{(?:YYYY|MM|DD)\})*\{0+\}(?:[^{}]|\{(?:0+|YYYY|MM|DD)\})*$/)
        .optional(),
      startNumber: z.int().min(0).optional(),
    },
  }),
  becomes: ['text'],
  searchedUnasked: true,
  names: true,
  issued: true,
  computed: true,
  parse: (value, field) => refused(field, 'read_only', 'The server issues this value.', value),
}
