// Owns a record beside its table: its fields, its activity and its history as tabs.
import { useEffect, useRef } from 'react'
import { Delayed } from '../../components/delayed.tsx'
import { EmptyState, LoadFailure } from '../../components/notice.tsx'
import { TabbedParts } from '../../components/tab-list.tsx'
import { hasCode } from '../../lib/api-error.ts'
import { t } from '../../lib/strings.ts'
import { ConflictDialog } from '../records/index.ts'
import type { RecordPeekProps } from '../records/index.ts'
import { WorkflowPanel } from '../workflow/index.ts'
import { RecordDetails } from './record-details.tsx'
import { fileFields } from './record-file-list.tsx'
import { RecordHeader } from './record-header.tsx'
import { GoneNotice, RecordPart } from './record-parts.tsx'
import { useRecordPage } from './use-record-page.ts'
import classes from './record.module.css'

/** The record. */
export function RecordPeek(props: RecordPeekProps) {
  const { object, id, onClose } = props
  const page = useRecordPage({ object, id, onStep: props.onStep, onDeleted: onClose })
  const { record, fields, context, edits, hasFeed } = page
  const heading = useRef<HTMLHeadingElement>(null)
  const aside = useRef<HTMLElement>(null)

  useEffect(() => {
    if (!aside.current?.contains(document.activeElement)) heading.current?.focus()
  }, [id])

  const tabs = [
    { key: 'details', label: t('record.details') },
    ...(hasFeed ? [{ key: 'activity', label: t('record.activity') } as const] : []),
    ...(hasFeed ? [{ key: 'history', label: t('record.history') } as const] : []),
    ...(fileFields(fields).length > 0 ? [{ key: 'files', label: t('record.files') } as const] : []),
  ] as const
  const chosen = tabs.find(({ key }) => key === props.tab)?.key ?? 'details'
  return (
    <aside
      ref={aside}
      className={classes.peek}
      aria-label={t('record.region', { title: page.title })}
      data-region
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return
        // A menu or a dialog of the record closes by itself, and nothing else with it.
        if ((event.target as Element).closest('[role="menu"], [role="dialog"]')) return
        event.preventDefault()
        onClose()
      }}
    >
      <RecordHeader
        object={object}
        id={id}
        title={page.title}
        level={2}
        heading={heading}
        view={props.view}
        members={page.members}
        hasFeed={hasFeed}
        onStep={props.onStep}
        onDelete={page.remove && (() => void page.remove?.())}
        onClose={onClose}
      />
      {record ? (
        <div className={classes.peekBody}>
          {page.isGone && <GoneNotice />}
          <WorkflowPanel object={object.name} recordId={id} level={3} />
          <TabbedParts label={t('record.parts')} tabs={tabs} chosen={chosen} onChoose={props.onTab}>
            {chosen === 'details' ? (
              <RecordDetails
                object={object}
                fields={fields}
                record={record}
                context={context}
                level={3}
                save={edits.save}
              />
            ) : (
              <RecordPart
                part={chosen}
                object={object}
                record={record}
                fields={fields}
                context={context}
                edits={edits}
              />
            )}
          </TabbedParts>
        </div>
      ) : hasCode(page.error, 'resource_not_found') ? (
        <EmptyState title={t('record.gone')}>{t('record.gone.text')}</EmptyState>
      ) : page.error ? (
        <LoadFailure error={page.error} onRetry={() => void page.refetch()} />
      ) : (
        <Delayed>
          <p role="status" className={classes.waiting}>
            {t('record.loading')}
          </p>
        </Delayed>
      )}
      <ConflictDialog conflict={edits.conflict} fields={fields} context={context} />
    </aside>
  )
}
