// Owns tiles over analytic queries: a number, a drawing with its twin as a table, or the table alone; and the way from
// each figure to the records behind it.
import { Menu } from '@mantine/core'
import { IconDownload, IconList } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Suspense, useRef, useState } from 'react'
import type { CSSProperties } from 'react'
import { call } from '../../lib/api-client.ts'
import { ApiError } from '../../lib/api-error.ts'
import { navigate } from '../../lib/hash-location.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { t, tn } from '../../lib/strings.ts'
import { showProblem } from '../../lib/toast.ts'
import { objectPluralLabel } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import {
  dimensionText,
  figureText,
  groupChoices,
  measureLabel,
  readDimension,
  shortFigure,
  useFieldContext,
  useShownFields,
} from '../records/index.ts'
import type { Tile } from './dashboard-item.ts'
import { tileKey } from './dashboard-queries.ts'
import classes from './dashboards.module.css'
import { barFilter, barFor } from './filter-bar-query.ts'
import type { BarFilter } from './filter-bar-query.ts'
import { FigureTable } from './figure-table.tsx'
import { drillPath, tileConditions } from './tile-drill.ts'
import { TileFrame, TileNote, TileWaiting } from './tile-frame.tsx'
import { savePicture } from './tile-picture.ts'
import { askOf, isAdditive, seriesOf } from './tile-query.ts'
import { kindLabel, kindOf } from './tile-words.ts'

const SeriesChart = lazyPart(async () => ({
  default: (await import('../../components/charts/series-chart.tsx')).SeriesChart,
}))

/** How often a tile asks again when the host has heard too much at once; each wait is as long as the host says. */
const waitedTurns = 20
const otherTries = 2

/** The tile. */
export function FigureTile(props: { tile: Tile; title: string; object: ObjectItem; bar: BarFilter }) {
  const { tile, title, object, bar } = props
  const context = useFieldContext()
  const fields = useShownFields(object)
  const frame = useRef<HTMLElement>(null)
  const [isTable, setTable] = useState(false)
  const ask = askOf(tile, fields, barFilter(bar, fields, context))
  const { data, error, refetch } = useQuery({
    queryKey: [...tileKey(object.name), ask?.body],
    enabled: ask !== undefined,
    queryFn: async ({ signal }) => call('queryAnalytics', { body: ask?.body ?? {}, signal }),
    placeholderData: keepPreviousData,
    // Many tiles at once may be more than one caller can ask: the last ones wait their turn instead of failing.
    retry: (failures, failed) =>
      failed instanceof ApiError &&
      failed.retryable &&
      failed.httpStatus > 0 &&
      failures < (failed.httpStatus === 429 ? waitedTurns : otherTries),
  })
  if (!ask || !data || error) {
    return (
      <TileFrame title={title}>
        {ask ? (
          <TileWaiting error={error} onRetry={() => void refetch()} />
        ) : (
          <TileNote>{t('dashboards.tile.unset')}</TileNote>
        )}
      </TileFrame>
    )
  }
  const { annotation } = data
  const [measure = 'count'] = ask.measures
  const labelOf = (name: string): string => measureLabel(name, fields, annotation.measures[name]?.title)
  const format = (value: unknown, of: string): string => figureText(value, of, fields, context)
  const own = tileConditions(tile, fields, context)
  const narrowing = barFor(bar, fields)
  const pathOf = (row?: Readonly<Record<string, unknown>>): string | undefined =>
    drillPath(ask, own, narrowing, fields, context, row)
  const all = pathOf()
  const records = all !== undefined && (
    <Menu.Item component="a" href={`#${all}`} leftSection={<IconList size={14} aria-hidden />}>
      {t('dashboards.tile.records')}
    </Menu.Item>
  )

  if (tile.type === 'metric') {
    // A sum over no records is nothing to be paid; an average over none is no figure.
    const figure = data.data[0]?.[measure] ?? (isAdditive(measure) ? 0 : null)
    const text = format(figure, measure) || t('dashboards.tile.noFigure')
    return (
      <TileFrame title={title} items={records}>
        <p className={`${classes.figure} cairn-numbers`} style={{ '--signs': text.length } as CSSProperties}>
          {all === undefined ? (
            <span>{text}</span>
          ) : (
            <a href={`#${all}`} aria-label={t('dashboards.tile.show', { figure: text, tile: title })}>
              {text}
            </a>
          )}
        </p>
        <p className={classes.caption}>{labelOf(measure)}</p>
      </TileFrame>
    )
  }

  if (tile.type === 'chart' && ask.dimensions.length === 0) {
    return (
      <TileFrame title={title} items={records}>
        <TileNote>{t('chart.missing.text')}</TileNote>
      </TileFrame>
    )
  }

  const groups = groupChoices(fields)
  const dimensionLabel = (name: string): string =>
    groups.find(({ value }) => value === name)?.label ??
    (annotation.dimensions[name] ?? annotation.timeDimensions[name])?.title ??
    name
  const textOf = (row: Readonly<Record<string, unknown>>, name: string): string => {
    const known = readDimension(name, fields)
    return known ? dimensionText(row[name], name, known, context) : String(row[name] ?? t('summary.empty'))
  }
  const { points, left } = seriesOf(ask, data.data, fields)
  const series = points.map(({ row, figure }) => ({
    label: row ? ask.dimensions.map((name) => textOf(row, name)).join(' · ') : t('dashboards.other'),
    figure,
    path: row ? pathOf(row) : undefined,
  }))
  const drawn = tile.type === 'chart' && !isTable
  const isWhole = ask.dimensions.length === 0
  const picture = (): void => {
    const svg = frame.current?.querySelector<SVGSVGElement>('svg.recharts-surface')
    if (svg) savePicture(svg, title).catch(showProblem)
  }
  return (
    <TileFrame
      frame={frame}
      title={title}
      twin={tile.type === 'chart' ? { isTable, onTurn: () => setTable(!isTable) } : undefined}
      items={
        <>
          {records}
          {drawn && (
            <Menu.Item leftSection={<IconDownload size={14} aria-hidden />} onClick={picture}>
              {t('dashboards.tile.picture')}
            </Menu.Item>
          )}
        </>
      }
    >
      {points.length === 0 ? (
        <TileNote>{t('dashboards.tile.none')}</TileNote>
      ) : drawn ? (
        <div
          className={classes.chart}
          role="img"
          aria-label={t('dashboards.tile.drawing', {
            tile: title,
            kind: kindLabel(kindOf(tile)),
            figures: series.map(({ label, figure }) => `${label} ${format(figure, measure)}`).join('; '),
          })}
        >
          <Suspense fallback={null}>
            <SeriesChart
              type={tile.chartType ?? 'bar'}
              rows={series}
              measure={labelOf(measure)}
              format={(value) => format(value, measure)}
              axisFormat={(value) => shortFigure(value, context)}
              onPick={(at) => {
                const path = series[at]?.path
                if (path !== undefined) navigate(path)
              }}
            />
          </Suspense>
        </div>
      ) : (
        <FigureTable
          label={title}
          head={[
            ...(isWhole ? [objectPluralLabel(object)] : ask.dimensions.map(dimensionLabel)),
            ...ask.measures.map(labelOf),
          ]}
          groups={isWhole ? 1 : ask.dimensions.length}
          rows={
            // All groups, also those a drawing shows as one.
            data.data.map((row) => ({
              cells: isWhole ? [t('word.allRecords')] : ask.dimensions.map((name) => textOf(row, name)),
              figures: ask.measures.map((name) => format(row[name], name)),
              path: pathOf(row),
            }))
          }
        />
      )}
      {left > 0 && drawn && <p className={classes.caption}>{tn('dashboards.left', left)}</p>}
    </TileFrame>
  )
}
