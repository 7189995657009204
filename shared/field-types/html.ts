// The field types `html` and `richtext`: formatted text kept as HTML that runs nothing.
import type { FieldType } from './field-type.ts'
import { textualType } from './textual.ts'

/** HTML, sanitised on write: scripts, event handlers and addresses that run code are never stored. @source D-94 */
export const htmlType: FieldType = textualType(
  {
    operators: 'P',
    flags: { search: 'optional', sortable: false, groupable: false, aggregatable: 'none' },
    maxLength: 1_000_000,
    transform: (text, env) => env.sanitizeHtml?.(text) ?? text,
  },
  { family: 'text', long: true, markup: true, takesAnyCell: true },
)
