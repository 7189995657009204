// Owns the page of one record: its fields on the left, its activity and history on the right.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { useSearch } from 'wouter'
import { Delayed } from '../../components/delayed.tsx'
import { LoadFailure } from '../../components/notice.tsx'
import { Page, usePageTitle } from '../../components/page.tsx'
import { TabbedParts } from '../../components/tab-list.tsx'
import { hasCode } from '../../lib/api-error.ts'
import { navigate } from '../../lib/hash-location.ts'
import { readRecordAddress, recordPath, tablePath } from '../../lib/record-address.ts'
import { t } from '../../lib/strings.ts'
import { useObject } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import { ConflictDialog, useFieldContext, useShownFields } from '../records/index.ts'
import { WorkflowPanel } from '../workflow/index.ts'
import { RecordDetails } from './record-details.tsx'
import { fileFields } from './record-file-list.tsx'
import { RecordHeader } from './record-header.tsx'
import { GoneNotice, RecordPart } from './record-parts.tsx'
import { neighboursQuery } from './record-queries.ts'
import { useRecordPage } from './use-record-page.ts'
import classes from './record.module.css'

/** The page. */
export function RecordScreen(props: { name: string; id: string }) {
  const { data: object, error, refetch } = useObject(props.name)
  if (object) return <RecordOfObject object={object} id={props.id} />
  if (hasCode(error, 'resource_not_found')) return <Missing object={undefined} />
  return (
    <Page title={props.name}>
      {error ? (
        <LoadFailure error={error} onRetry={() => void refetch()} />
      ) : (
        <Delayed>
          <p role="status">{t('record.loading')}</p>
        </Delayed>
      )}
    </Page>
  )
}

function Missing(props: { object: string | undefined }) {
  return (
    <Page title={t('record.gone')} lead={t('record.gone.text')}>
      <Button
        component="a"
        href={`#${props.object === undefined ? '/objects' : tablePath(props.object, {})}`}
        variant="default"
        mt="md"
      >
        {t(props.object === undefined ? 'nav.allObjects' : 'record.toTable')}
      </Button>
    </Page>
  )
}

function RecordOfObject(props: { object: ObjectItem; id: string }) {
  const { object, id } = props
  const { tab, view } = readRecordAddress(useSearch())
  const step = useNeighbours(object, id, view, tab)
  const toTable = tablePath(object.name, { view })
  const page = useRecordPage({ object, id, onStep: step, onDeleted: () => navigate(toTable) })
  const { record, fields, context, edits, hasFeed, title } = page
  const heading = useRef<HTMLHeadingElement>(null)
  usePageTitle(title)

  if (!record && hasCode(page.error, 'resource_not_found')) return <Missing object={object.name} />
  if (!record && page.error) {
    return (
      <Page title={title}>
        <LoadFailure error={page.error} onRetry={() => void page.refetch()} />
      </Page>
    )
  }
  const tabs = [
    { key: 'activity', label: t('record.activity') },
    { key: 'history', label: t('record.history') },
    ...(fileFields(fields).length > 0 ? [{ key: 'files', label: t('record.files') } as const] : []),
  ] as const
  const chosen = tabs.find(({ key }) => key === tab)?.key ?? 'activity'
  return (
    <div className={classes.page}>
      <RecordHeader
        object={object}
        id={id}
        title={title}
        level={1}
        heading={heading}
        view={view}
        members={page.members}
        hasFeed={hasFeed}
        onStep={step}
        onDelete={page.remove && (() => void page.remove?.())}
      />
      {record && (
        <div className={classes.columns} data-single={!hasFeed || undefined}>
          <div className={classes.main}>
            {page.isGone && <GoneNotice />}
            <WorkflowPanel object={object.name} recordId={id} level={2} />
            <RecordDetails
              object={object}
              fields={fields}
              record={record}
              context={context}
              level={2}
              save={edits.save}
            />
          </div>
          {hasFeed && (
            <aside className={classes.side} aria-label={t('record.side')} data-region tabIndex={-1}>
              <TabbedParts
                label={t('record.parts')}
                tabs={tabs}
                chosen={chosen}
                onChoose={(part) => navigate(recordPath(object.name, id, { view, tab: part }), { replace: true })}
              >
                <RecordPart
                  part={chosen}
                  object={object}
                  record={record}
                  fields={fields}
                  context={context}
                  edits={edits}
                />
              </TabbedParts>
            </aside>
          )}
        </div>
      )}
      <ConflictDialog conflict={edits.conflict} fields={fields} context={context} />
    </div>
  )
}

/** Goes to the next or the previous record of the table; undefined where there is neither. */
function useNeighbours(
  object: ObjectItem,
  id: string,
  view: string,
  tab: string | undefined,
): ((step: 1 | -1) => void) | undefined {
  const fields = useShownFields(object)
  const context = useFieldContext()
  const { data: ids } = useQuery(neighboursQuery(object.name, view, fields, context))
  const at = ids?.indexOf(id) ?? -1
  if (!ids || at < 0 || ids.length < 2) return undefined
  return (step) => {
    const next = ids[at + step]
    if (next !== undefined) navigate(recordPath(object.name, next, { view, tab }), { replace: true })
  }
}
