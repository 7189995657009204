// Owns tiles that show the records of a stored view, as a table of its columns or as a short list.
import { Menu } from '@mantine/core'
import { IconList } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { fieldLabel, fieldTypeOf } from '../../fields/index.ts'
import type { FieldDefinition } from '../../fields/index.ts'
import { call } from '../../lib/api-client.ts'
import { recordPath, tablePath } from '../../lib/record-address.ts'
import { t, tn } from '../../lib/strings.ts'
import { displayFieldOf } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import {
  buildGroup,
  linkFields,
  useFieldContext,
  useShownFields,
  useStoredViews,
  withConditions,
  writeQuery,
} from '../records/index.ts'
import type { StoredView } from '../records/index.ts'
import { isMap } from './dashboard-item.ts'
import type { Tile } from './dashboard-item.ts'
import { tileKey } from './dashboard-queries.ts'
import classes from './dashboards.module.css'
import { barFilter } from './filter-bar-query.ts'
import type { BarFilter } from './filter-bar-query.ts'
import { TileFrame, TileNote, TileWaiting } from './tile-frame.tsx'

/** Records shown where the tile does not say how many. */
const standardRecords = 20
const mostRecords = 200
/** Values beside the title of a listed record. */
const listedValues = 3

/** The tile. */
export function RecordsTile(props: { tile: Tile; title: string; object: ObjectItem; bar: BarFilter }) {
  const { tile, title, object, bar } = props
  const context = useFieldContext()
  const fields = useShownFields(object)
  const { data: views, error: noViews, refetch: refetchViews } = useStoredViews(object.name)
  const view = views?.find(({ id }) => id === tile.view)
  const display = displayFieldOf(object)
  const shown = columnsOf(view, fields, display)
  const limit = tile.options?.['limit']
  const body = {
    top: typeof limit === 'number' ? Math.min(Math.max(1, Math.floor(limit)), mostRecords) : standardRecords,
    count: true,
    expand: linkFields(shown),
    ...(view?.query.search ? { search: view.query.search } : {}),
    ...(view && view.query.sort.length > 0 ? { sort: view.query.sort.map((term) => ({ ...term })) } : {}),
    filter: joined(view && viewFilter(view, fields, context), barFilter(bar, fields, context)),
  }
  const { data, error, refetch } = useQuery({
    queryKey: [...tileKey(object.name), 'records', body],
    enabled: view !== undefined,
    queryFn: async ({ signal }) => call('queryRecords', { params: { object: object.name }, body, signal }),
    placeholderData: keepPreviousData,
  })
  const address = tablePath(object.name, {
    view: writeQuery({ filter: undefined, sort: [], search: '', view: view?.id ?? '' }),
  })
  const failure = error ?? noViews
  if (!data || !view || failure) {
    return (
      <TileFrame title={title}>
        {views && !view ? (
          <TileNote>{t(tile.view === undefined ? 'dashboards.tile.unset' : 'dashboards.tile.noView')}</TileNote>
        ) : (
          <TileWaiting error={failure} onRetry={() => void (noViews ? refetchViews() : refetch())} />
        )}
      </TileFrame>
    )
  }
  const { records, total = records.length } = data
  const textOf = (record: Readonly<Record<string, unknown>>, field: FieldDefinition): string => {
    const value = record[field.name]
    return value === null || value === undefined ? '' : fieldTypeOf(field).format(value, field, context)
  }
  const [first, ...others] = shown
  const titleOf = (record: Readonly<Record<string, unknown>>): string =>
    (first ? textOf(record, first) : '') || t('word.untitled')
  const hrefOf = (record: Readonly<Record<string, unknown>>): string =>
    `#${recordPath(object.name, String(record['id']))}`
  return (
    <TileFrame
      title={title}
      items={
        <Menu.Item component="a" href={`#${address}`} leftSection={<IconList size={14} aria-hidden />}>
          {t('dashboards.tile.openView', { view: view.label })}
        </Menu.Item>
      }
    >
      {records.length === 0 ? (
        <TileNote>{t('dashboards.tile.noRecords')}</TileNote>
      ) : tile.type === 'table' ? (
        <div className={classes.scroll} tabIndex={0} role="group" aria-label={title}>
          <table className={`${classes.table} cairn-numbers`}>
            <thead>
              <tr>
                {shown.map((field) => (
                  <th key={field.name} scope="col">
                    {fieldLabel(field)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {records.map((record) => (
                <tr key={String(record['id'])}>
                  <th scope="row">
                    <a href={hrefOf(record)}>{titleOf(record)}</a>
                  </th>
                  {others.map((field) => (
                    <td key={field.name}>{textOf(record, field)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : (
        <ul className={classes.records} tabIndex={0} aria-label={title}>
          {records.map((record) => (
            <li key={String(record['id'])}>
              <a href={hrefOf(record)}>{titleOf(record)}</a>
              <span className={classes.caption}>
                {others
                  .slice(0, listedValues)
                  .map((field) => textOf(record, field))
                  .filter((text) => text !== '')
                  .join(' · ')}
              </span>
            </li>
          ))}
        </ul>
      )}
      {total > records.length && (
        <p className={classes.caption}>{tn('dashboards.moreRecords', total - records.length)}</p>
      )}
    </TileFrame>
  )
}

/** The fields of a view, what stands for a record first. */
function columnsOf(
  view: StoredView | undefined,
  fields: readonly FieldDefinition[],
  display: string | undefined,
): FieldDefinition[] {
  const names = view && view.columns.length > 0 ? view.columns : fields.slice(0, 6).map(({ name }) => name)
  const chosen = names.flatMap((name) => fields.filter((field) => field.name === name))
  const named = fields.find(({ name }) => name === display)
  return named ? [named, ...chosen.filter((field) => field !== named)] : chosen
}

/** The conditions of a view as this reader has them, else its filter as it is stored. */
function viewFilter(
  view: StoredView,
  fields: readonly FieldDefinition[],
  context: ReturnType<typeof useFieldContext>,
): unknown {
  const { query, config } = withConditions(view, fields, context)
  return query.filter ? buildGroup(query.filter, fields, context) : config['filter']
}

function joined(own: unknown, narrowing: Record<string, unknown> | undefined): unknown {
  const isOwn = own !== undefined && own !== null && !(isMap(own) && Object.keys(own).length === 0)
  if (!isOwn) return narrowing
  return narrowing ? { $and: [own, narrowing] } : own
}
