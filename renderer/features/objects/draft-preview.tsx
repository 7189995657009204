// Owns the preview of the designer: a few records as they will look once the draft is saved.
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { FieldChips } from '../../components/field-chips.tsx'
import { ListTable } from '../../components/list-table.tsx'
import parts from '../../components/parts.module.css'
import { fieldLabel, fieldTypeOf, leadsToRecord, translateField } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { call } from '../../lib/api-client.ts'
import { discoveryQuery } from '../../lib/discovery.ts'
import { t } from '../../lib/strings.ts'
import { locale } from '../../lib/language.ts'
import { applyDraft } from './field-draft.ts'
import type { ObjectDraft } from './field-draft.ts'
import { displayFieldOf, fieldList } from './object-item.ts'
import type { ObjectItem } from './object-item.ts'
import { useObjects } from './object-queries.ts'
import { previewCell } from './preview-cell.ts'
import classes from './preview.module.css'

/** Records of the preview. */
const shownRecords = 5
/** Most paths one request expands. @source D-87 */
const maxExpand = 10

function previewQuery(object: string, expand: readonly string[]) {
  return queryOptions({
    queryKey: ['record-preview', object, expand] as const,
    queryFn: async ({ signal }) => {
      const query = { top: shownRecords, ...(expand.length > 0 ? { expand: expand.join(',') } : {}) }
      return (await call('listRecords', { params: { object }, query, signal })).records
    },
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
}

/** The preview; it follows every change of the draft. */
export function DraftPreview(props: { object: ObjectItem; draft: ObjectDraft; label: string }) {
  const { object, draft, label } = props
  const { data: manifest } = useQuery(discoveryQuery)
  const { data: objects } = useObjects()
  const timeZone = manifest?.locale.timezone ?? 'UTC'
  const context = useMemo<FieldContext>(() => ({ locale, timeZone, translate: translateField }), [timeZone])
  const stored = useMemo(() => fieldList(object), [object])
  const drafted = fieldList(applyDraft(object, draft)).filter((field) => !field.hidden)
  const expand = stored
    .filter(({ type }) => leadsToRecord(type))
    .slice(0, maxExpand)
    .map(({ name }) => name)
  const { data: records, error } = useQuery(previewQuery(object.name, expand))
  const named = (field: FieldDefinition): FieldDefinition => {
    const target = field.reference ? objects?.find(({ name }) => name === field.reference) : undefined
    return target ? { ...field, displayField: displayFieldOf(target) } : field
  }

  return (
    <section className={parts.section} aria-label={t('preview.title')}>
      <h2>{t('preview.title')}</h2>
      <p className={parts.lead}>
        {t(error && !records ? 'preview.failed' : records?.length === 0 ? 'preview.none' : 'preview.lead')}
      </p>
      {drafted.length > 0 && (
        <ListTable
          label={t('preview.list', { object: label })}
          className={classes.preview}
          columns={drafted.map((field) => ({ label: fieldLabel(field) }))}
        >
          {(records ?? []).map((record) => (
            <tr key={String(record.id)}>
              {drafted.map((field) => (
                <td key={field.name}>
                  <Cell
                    stored={stored.find(({ name }) => name === field.name)}
                    field={named(field)}
                    value={record[field.name]}
                    context={context}
                  />
                </td>
              ))}
            </tr>
          ))}
        </ListTable>
      )}
    </section>
  )
}

function Cell(props: {
  stored: FieldDefinition | undefined
  field: FieldDefinition
  value: unknown
  context: FieldContext
}) {
  const { stored, field, context } = props
  const { value, lost } = previewCell(stored, field, props.value, context)
  const shown = lost && stored ? stored : field
  const type = fieldTypeOf(shown)
  const chips = value == null ? [] : (type.chips?.(value, shown, context) ?? [])
  if (chips.length > 0 && !lost) return <FieldChips chips={chips} />
  const text = type.format(value, shown, context)
  if (!lost) return <>{text}</>
  return (
    <>
      <del>{text}</del>{' '}
      <span className={parts.badge} data-tone="bad">
        {t('preview.lost')}
      </span>
    </>
  )
}
