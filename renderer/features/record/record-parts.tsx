// Owns the parts of a record besides its fields: activity, history and files, one at a time. They are loaded when first shown.
import { Suspense } from 'react'
import type { GridRecord } from '../../components/grid/index.ts'
import { Notice } from '../../components/notice.tsx'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { t } from '../../lib/strings.ts'
import type { ObjectItem } from '../objects/index.ts'
import { RecordFileList } from './record-file-list.tsx'
import type { RecordEdits } from './use-record-edits.ts'

const ActivityPanel = lazyPart(async () => ({ default: (await import('../activity/index.ts')).ActivityPanel }))
const HistoryPanel = lazyPart(async () => ({ default: (await import('../activity/index.ts')).HistoryPanel }))

/** One of the parts. */
export function RecordPart(props: {
  part: 'activity' | 'history' | 'files'
  object: ObjectItem
  record: GridRecord
  fields: readonly FieldDefinition[]
  context: FieldContext
  edits: Pick<RecordEdits, 'save' | 'saveMany'>
}) {
  const { object, record } = props
  const recordId = String(record['id'])
  if (props.part === 'files') return <RecordFileList record={record} fields={props.fields} />
  return (
    <Suspense fallback={null}>
      {props.part === 'activity' ? (
        <ActivityPanel
          key={recordId}
          object={object.name}
          recordId={recordId}
          fields={props.fields}
          context={props.context}
        />
      ) : (
        <HistoryPanel
          key={recordId}
          object={object.name}
          record={record}
          fields={props.fields}
          context={props.context}
          save={props.edits.save}
          saveMany={props.edits.saveMany}
        />
      )}
    </Suspense>
  )
}

/** Says that a record is there no more while what is known of it, and typed into it, is still on screen. */
export function GoneNotice() {
  return (
    <Notice tone="warn" title={t('record.gone')} live>
      {t('record.gone.text')}
    </Notice>
  )
}
