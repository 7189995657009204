// Owns the first fields of the record an approval is about, as far as one may read them.
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { FactList } from '../../components/fact-list.tsx'
import parts from '../../components/parts.module.css'
import { fieldLabel, fieldTypeOf } from '../../fields/index.ts'
import { hasCode } from '../../lib/api-error.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import type { ObjectItem } from '../objects/index.ts'
import { linkFields, useFieldContext, useShownFields } from '../records/index.ts'
import { recordOfQuery } from './approval-queries.ts'

/** Fields shown: enough to know which record it is, the rest is on its page. */
const most = 8

/** The fields. */
export function ApprovalRecord(props: { object: ObjectItem; recordId: string }) {
  const { object, recordId } = props
  const fields = useShownFields(object)
  const context = useFieldContext()
  const expand = useMemo(() => linkFields(fields), [fields])
  const { data: record, error } = useQuery(recordOfQuery({ object: object.name, recordId }, expand))
  if (hasCode(error, 'resource_not_found', 'permission_denied')) {
    return <p className={parts.lead}>{t('approvals.fields.closed')}</p>
  }
  if (error && !record) return <p className={parts.lead}>{problemText(error)}</p>
  if (!record) return null
  const shown = fields
    .filter((field) => field.name in record)
    .map((field) => [fieldLabel(field), fieldTypeOf(field).format(record[field.name], field, context)] as const)
    .filter(([, text]) => text !== '')
    .slice(0, most)
  return <FactList facts={shown} />
}
