// Owns running a query a question became, and showing what it finds.
import { useQuery } from '@tanstack/react-query'
import { Loading } from '../../components/delayed.tsx'
import { ListTable } from '../../components/list-table.tsx'
import { EmptyState, LoadFailure } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { fieldLabel, fieldTypeOf } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { call } from '../../lib/api-client.ts'
import { recordPath } from '../../lib/record-address.ts'
import { t, tn } from '../../lib/strings.ts'
import { linkFields } from '../records/index.ts'
import type { MadeQuery } from './assistant-queries.ts'

/** Columns of the result; the table has all of them. */
const maxColumns = 6

/** The records, or the groups. */
export function MadeResult(props: { query: MadeQuery; fields: readonly FieldDefinition[]; context: FieldContext }) {
  const { query, fields, context } = props
  const { object, ...asked } = query
  const isGroup = query.aggregations !== undefined
  const shown = fields.slice(0, maxColumns)
  const body = isGroup ? asked : { ...asked, count: true, expand: linkFields(shown) }
  const { data, error, refetch } = useQuery({
    queryKey: ['ai', 'result', query] as const,
    queryFn: async ({ signal }) => call('queryRecords', { params: { object }, body, signal }),
    staleTime: 0,
  })
  if (error) return <LoadFailure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  const { records, total = records.length } = data
  if (records.length === 0) return <EmptyState title={t('assistant.result.none')} />
  const keys = isGroup ? Object.keys(records[0]!) : shown.map(({ name }) => name)
  const cell = (record: Record<string, unknown>, key: string): string => {
    const value = record[key]
    const field = fields.find(({ name }) => name === key)
    if (value === null || value === undefined) return ''
    return field ? fieldTypeOf(field).format(value, field, context) : figure(value, context)
  }
  const labelOf = (key: string): string => {
    const field = fields.find(({ name }) => name === key)
    return field ? fieldLabel(field) : key.replaceAll('_', ' ')
  }
  return (
    <div className={parts.section}>
      <p className={parts.quiet} role="status">
        {tn(isGroup ? 'assistant.result.groups' : 'assistant.result', isGroup ? records.length : total)}
      </p>
      <ListTable label={t('assistant.result.table')} columns={keys.map((key) => ({ label: labelOf(key) }))}>
        {records.map((record, at) => (
          <tr key={String(record['id'] ?? at)}>
            {keys.map((key, column) =>
              column > 0 ? (
                <td key={key}>{cell(record, key)}</td>
              ) : (
                <th key={key} scope="row">
                  {isGroup ? (
                    cell(record, key)
                  ) : (
                    <a className={parts.link} href={`#${recordPath(object, String(record['id']))}`}>
                      {cell(record, key) || t('assistant.result.open')}
                    </a>
                  )}
                </th>
              ),
            )}
          </tr>
        ))}
      </ListTable>
    </div>
  )
}

function figure(value: unknown, { locale }: FieldContext): string {
  return typeof value === 'number' ? new Intl.NumberFormat(locale).format(value) : String(value)
}
