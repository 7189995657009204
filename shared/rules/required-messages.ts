// A validation rule says in words of its author what is wrong (D-96). Rules stored before this was asked for may stay.
import type { FieldError } from '#shared/errors.ts'

type Item = Readonly<Record<string, unknown>>

/**
 * The problems of rules without a message: of a `validation` item, or of those inside of an object. The steps of a state
 * machine have words of their own.
 * @param stored the item as it is, in each of its forms: a rule that has no message there needs none
 * @source D-96
 */
export function missingMessages(type: string, item: Item, stored: readonly (Item | undefined)[] = []): FieldError[] {
  if (type === 'validation') return lacksMessage(item) && !stored.some(lacksMessage) ? [problem('message')] : []
  if (type !== 'object') return []
  const before = new Set(stored.flatMap((one) => rulesOf(one).filter(lacksMessage)).map((rule) => rule['name']))
  return rulesOf(item).flatMap((rule, index) =>
    lacksMessage(rule) && !before.has(rule['name']) ? [problem(`validations.${index}.message`)] : [],
  )
}

function lacksMessage(rule: Item | undefined): boolean {
  if (rule === undefined || rule['type'] === 'state_machine') return false
  const { message } = rule
  return message === undefined || (typeof message === 'string' && message.trim() === '')
}

function rulesOf(item: Item | undefined): readonly Item[] {
  const rules = item?.['validations']
  // What is no map is refused by the check of the rules.
  return Array.isArray(rules) ? rules.map((rule: unknown) => (isMap(rule) ? rule : { message: 'none' })) : []
}

function isMap(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function problem(field: string): FieldError {
  const message = 'A rule needs a message: what people read when it is broken.'
  return { field, code: 'required', message }
}
