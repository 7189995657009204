// Owns what is on screen of an object's records: the tabs of its views, and below them the grid or another kind of view,
// which is given from outside.
import { useCallback, useMemo } from 'react'
import type { ReactNode } from 'react'
import { useLocation, useSearch } from 'wouter'
import { Delayed } from '../../components/delayed.tsx'
import { usePageTitle } from '../../components/page.tsx'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { readRecordAddress, tablePath } from '../../lib/record-address.ts'
import { t } from '../../lib/strings.ts'
import { objectPluralLabel } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import type { RenderPeek } from './record-peek-place.tsx'
import { buildGroup, inOwnWords, readQuery, writeQuery } from './record-query.ts'
import type { RecordQuery } from './record-query.ts'
import { RecordView } from './record-view.tsx'
import classes from './view-tabs.module.css'
import { useShownFields } from './shown-fields.ts'
import { useFieldContext } from './use-field-context.ts'
import { useRecordViews } from './use-record-views.tsx'
import type { RecordViews } from './use-record-views.tsx'

/** What a kind of view that is no grid is given. */
export interface ViewKindProps {
  object: ObjectItem
  fields: readonly FieldDefinition[]
  context: FieldContext
  query: RecordQuery
  /** The condition in force as the API takes it. */
  filter: Record<string, unknown> | undefined
  onQuery: (next: Partial<RecordQuery>) => void
  views: RecordViews
  /** The search part of the address. */
  address: string
  peek: RenderPeek | undefined
}

/** Shows a view that is no grid. */
export type RenderKind = (props: ViewKindProps) => ReactNode

/** The views of an object that has fields. */
export function ObjectViews(props: {
  object: ObjectItem
  peek?: RenderPeek | undefined
  kind?: RenderKind | undefined
}) {
  const { object } = props
  const label = objectPluralLabel(object)
  const [, navigate] = useLocation()
  const address = useSearch()
  const context = useFieldContext()
  const fields = useShownFields(object)
  const asked = useMemo(() => readQuery(address), [address])
  const query = useMemo(() => inOwnWords(asked, fields, context), [asked, fields, context])

  const onQuery = useCallback(
    (next: Partial<RecordQuery>): void => {
      const { rec, tab } = readRecordAddress(address)
      const view = writeQuery({ ...query, ...next })
      navigate(tablePath(object.name, { view, rec, tab }), {
        replace: next.search !== undefined || next.day !== undefined,
      })
    },
    [address, query, navigate, object.name],
  )
  const filter = useMemo(
    () => (query.filter ? buildGroup(query.filter, fields, context) : undefined),
    [query.filter, fields, context],
  )
  const views = useRecordViews({ object: object.name, label, fields, context, query, filter, onQuery })
  usePageTitle(views.current ? t('views.title', { view: views.current.label, object: label }) : label)

  return (
    <div className={classes.views}>
      {views.bar}
      <div className={classes.shown}>
        {!views.ready ? (
          <Delayed>
            <p role="status" className={classes.waiting}>
              {t('records.loading')}
            </p>
          </Delayed>
        ) : views.type === 'grid' || !props.kind ? (
          <RecordView object={object} views={views} peek={props.peek} />
        ) : (
          props.kind({ object, fields, context, query, filter, onQuery, views, address, peek: props.peek })
        )}
      </div>
      {views.dialogs}
    </div>
  )
}
