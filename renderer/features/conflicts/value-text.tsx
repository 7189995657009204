// Owns showing one value of a conflict: as the table shows it, with badges, names of linked records, whole texts, and the
// words that differ from another text.
import { useQueries } from '@tanstack/react-query'
import { textChanges } from '#shared/text-changes.ts'
import { fieldTypeOf, findFieldType, leadsToRecord } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { call } from '../../lib/api-client.ts'
import { recordPath } from '../../lib/record-address.ts'
import { t } from '../../lib/strings.ts'
import classes from './conflicts.module.css'

/** A value; `beside` is the text it is compared with, where both are texts. */
export function ValueText(props: {
  field: FieldDefinition | undefined
  value: unknown
  context: FieldContext
  beside?: unknown
}) {
  const { field, value, context, beside } = props
  if (value === null || value === undefined || value === '')
    return <span className={classes.none}>{t('conflicts.empty')}</span>
  if (field === undefined) return <span className={classes.text}>{plain(value)}</span>
  if (leadsToRecord(field.type)) return <Links field={field} value={value} />
  if (typeof value === 'string' && findFieldType(field.type)?.comparedByWord) {
    return typeof beside === 'string' ? (
      <WordDiff before={beside} after={value} />
    ) : (
      <span className={classes.text}>{value}</span>
    )
  }
  const type = fieldTypeOf(field)
  const chips = type.chips?.(value, field, context)
  if (chips && chips.length > 0) {
    return (
      <span className={classes.chips}>
        {chips.map((chip, at) => (
          <span key={at} className={`field-chip ${chip.className}`}>
            {chip.text}
          </span>
        ))}
      </span>
    )
  }
  const text = type.format(value, field, context)
  // A value that does not fit the field is shown as it came.
  return <span className={classes.text}>{text === '' ? plain(value) : text}</span>
}

/** A text with the words that another one has not, and those it lacks. */
export function WordDiff(props: { before: string; after: string }) {
  const { before, after } = props
  const parts = []
  let at = 0
  for (const change of textChanges(before, after)) {
    if (change.at > at) parts.push(<span key={`s${at}`}>{before.slice(at, change.at)}</span>)
    if (change.remove > 0)
      parts.push(<del key={`d${change.at}`}>{before.slice(change.at, change.at + change.remove)}</del>)
    if (change.insert !== '') parts.push(<ins key={`i${change.at}`}>{change.insert}</ins>)
    at = change.at + change.remove
  }
  if (at < before.length) parts.push(<span key="end">{before.slice(at)}</span>)
  return <span className={classes.text}>{parts}</span>
}

/** Linked records by name; by id until the name is there. */
function Links(props: { field: FieldDefinition; value: unknown }) {
  const { reference = '', displayField } = props.field
  const ids = (Array.isArray(props.value) ? props.value : [props.value]).map(String)
  const found = useQueries({
    queries: ids.map((id) => ({
      queryKey: ['sync', 'linked', reference, id] as const,
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        (await call('getRecord', { params: { object: reference, id }, signal })).record,
      retry: false,
      enabled: reference !== '',
    })),
  })
  return (
    <span className={classes.text}>
      {ids.map((id, at) => {
        const name = displayField === undefined ? undefined : found[at]?.data?.[displayField]
        return (
          <span key={id}>
            {at > 0 && ', '}
            {found[at]?.data === undefined ? id : <a href={`#${recordPath(reference, id)}`}>{String(name ?? id)}</a>}
          </span>
        )
      })}
    </span>
  )
}

function plain(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
