// Numbers of autonumber fields: who issues them, the provisional texts of machines that do not, and counters that keep
// clear of numbers issued elsewhere. Knows nothing of peers.
import { formatAutonumber } from '#shared/field-types/autonumber.ts'
import type { FieldSchema, SqlValue } from '#shared/field-types/field-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { RecordNumbering } from '../api.ts'
import { raiseNumber, takeNumber } from '../store.ts'

/** The numbers of a host. */
export interface RecordNumbers {
  /** Sets who issues numbers. @throws Error when somebody did already */
  set(numbering: RecordNumbering): void
  /** What a record made here gets: a final number, or the provisional text of a machine that issues none. */
  begin(tx: Tx, schema: ObjectSchema, field: FieldSchema): string
  /** The next final number. */
  issue(tx: Tx, schema: ObjectSchema, field: FieldSchema): string
  /** Moves the counter past a number that came from elsewhere; texts that are none of the present format do nothing. */
  seen(tx: Tx, schema: ObjectSchema, field: FieldSchema, text: string): void
}

const standardFormat = '{0000}'

/** How every provisional number begins. */
export const provisionalBeginning = '#~'

/** The form of provisional numbers: a mark of the machine, and its own count. */
const provisional = /^#~[0-9A-Za-z]{1,16}-\d{1,16}$/

/** No counter comes this far by counting: a larger number is damage, and following it would end the counter. */
const maxNumber = 1e15

/** Makes the numbers. @param today the present day in the workspace's zone */
export function createRecordNumbers(today: () => string): RecordNumbers {
  let numbering: RecordNumbering | undefined
  const issue: RecordNumbers['issue'] = (tx, schema, field) => {
    const number = takeNumber(tx, schema.uid, field.uid, startOf(field))
    return formatAutonumber(field.settings.autonumberFormat ?? standardFormat, number, today())
  }
  return {
    set(given) {
      if (numbering !== undefined) throw new Error('The data service has a numbering already.')
      numbering = given
    },
    begin: (tx, schema, field) => numbering?.provisional(schema, field) ?? issue(tx, schema, field),
    issue,
    seen(tx, schema, field, text) {
      const number = numberIn(field, text)
      if (number !== null) raiseNumber(tx, schema.uid, field.uid, Math.max(number + 1, startOf(field)))
    },
  }
}

/** Whether a stored text waits for its final number. */
export function isProvisional(text: SqlValue | undefined): boolean {
  return typeof text === 'string' && provisional.test(text)
}

function startOf(field: FieldSchema): number {
  return field.settings.startNumber ?? 1
}

const forms = new WeakMap<FieldSchema, RegExp>()

/** The number a text holds by the field's format; null when it is not of that format. */
function numberIn(field: FieldSchema, text: string): number | null {
  if (isProvisional(text)) return null
  let form = forms.get(field)
  if (form === undefined) {
    form = formOf(field.settings.autonumberFormat ?? standardFormat)
    forms.set(field, form)
  }
  const digits = form.exec(text)?.[1]
  const number = digits === undefined ? Number.NaN : Number(digits)
  return number <= maxNumber ? number : null
}

/**
 * What texts of a format look like, as far as the first counter when there are several: everything else has a fixed
 * width, so that the search takes one pass.
 */
function formOf(format: string): RegExp {
  const parts = format.split(/(\{(?:0+|YYYY|MM|DD)\})/)
  const counters = parts.filter((part) => part.startsWith('{0')).length
  let form = '^'
  for (const part of parts) {
    if (part.startsWith('{0')) {
      form += String.raw`(\d{${part.length - 2},})`
      if (counters > 1) return new RegExp(form)
    } else if (part === '{YYYY}') form += String.raw`\d{4}`
    else if (part === '{MM}' || part === '{DD}') form += String.raw`\d{2}`
    else form += part.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
  }
  return new RegExp(`${form}$`)
}
