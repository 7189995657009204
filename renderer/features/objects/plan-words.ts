// Owns saying what a plan of a schema change does, in words for people. Pure but for the table of words.
import { t, tn } from '../../lib/strings.ts'
import { typeLabel } from './field-types.ts'
import type { PlanStep } from './save-object.ts'

/** What is known of the object a plan belongs to: what its fields are called. */
export type FieldLabels = Readonly<Record<string, string>>

/** One step in one to three sentences. */
export function stepText(step: PlanStep, labels: FieldLabels = {}): string {
  const field = fieldName(step, labels)
  const from = wordOf(step.from)
  const { records } = step
  switch (step.change) {
    case 'add_object':
    case 'add_index':
    case 'remove_index':
    case 'change_object':
      return t(`plan.${step.change}`)
    case 'add_field':
      return records > 0 ? tn('plan.add_field.filled', records, { field }) : t('plan.add_field', { field })
    case 'delete_field':
      return records > 0 ? tn('plan.delete_field', records, { field }) : t('plan.delete_field.empty', { field })
    case 'rename_field':
      return t('plan.rename_field', { field, from })
    case 'retype_field':
      return retypeText(step, field)
    case 'change_field':
      return t('plan.change_field', { field })
    case 'tighten_field':
      return records > 0 ? tn('plan.tighten_field.broken', records, { field }) : t('plan.tighten_field', { field })
    case 'add_unique':
      return t('plan.add_unique', { field: step.field === undefined ? wordOf(step.to) : field })
    case 'remove_option':
      return records > 0
        ? tn('plan.remove_option.used', records, { field, from })
        : t('plan.remove_option', { field, from })
    default:
      return t('plan.other', { change: step.change.replaceAll('_', ' '), field })
  }
}

function retypeText(step: PlanStep, field: string): string {
  const { converted = 0, nulled = 0 } = step
  const partly = Math.max(0, step.lossy - nulled)
  return [
    t('plan.retype_field', { field, from: shapeLabel(step.from), to: shapeLabel(step.to) }),
    ...(converted > 0 ? [tn('plan.retype_field.converted', converted)] : []),
    ...(nulled > 0 ? [tn('plan.retype_field.nulled', nulled)] : []),
    ...(partly > 0 ? [tn('plan.retype_field.partly', partly)] : []),
  ].join(' ')
}

/** What a field of a step is called. */
export function fieldName(step: PlanStep, labels: FieldLabels): string {
  const name = step.field ?? ''
  return Object.hasOwn(labels, name) ? (labels[name] ?? name) : name
}

function shapeLabel(shape: unknown): string {
  return typeLabel(wordOf(shape).replace(/\[\]$/, ''))
}

function wordOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map(String).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** A value that cannot be converted, as it stands in the record; long ones are cut. */
export function failureText(value: unknown): string {
  const text = wordOf(value)
  return text.length > 120 ? `${text.slice(0, 119)}…` : text
}

/** The steps that list values which do not arrive whole. */
export function failingSteps(steps: readonly PlanStep[]): PlanStep[] {
  return steps.filter((step) => (step.failures?.length ?? 0) > 0)
}
