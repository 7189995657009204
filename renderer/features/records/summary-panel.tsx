// Owns the summary above the grid: groups of the records shown, one measure of each, as a table and a chart. Choosing a
// group shows its records.
import { CloseButton, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useMemo, useState } from 'react'
import { chartTypes } from '../../components/charts/chart-types.ts'
import type { ChartType } from '../../components/charts/chart-types.ts'
import { LoadFailure } from '../../components/notice.tsx'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { call } from '../../lib/api-client.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { t } from '../../lib/strings.ts'
import { figureText, shortFigure } from './figure-text.ts'
import { dimensionText } from './group-labels.ts'
import type { RecordFilter } from './record-query.ts'
import classes from './records.module.css'
import { groupChoices, groupCondition, measureChoices, readDimension } from './summary-query.ts'

const SeriesChart = lazyPart(async () => ({
  default: (await import('../../components/charts/series-chart.tsx')).SeriesChart,
}))

/** Groups shown at once; more would be no summary. */
const maxGroups = 50

/** What a summary draws: members of the object's cube, and how. */
export interface SummaryChosen {
  dimension: string
  measure: string
  chart: ChartType
}

/** The panel; `filter` is the condition the grid shows its records under. */
export function SummaryPanel(props: {
  object: string
  label: string
  fields: readonly FieldDefinition[]
  context: FieldContext
  filter: Record<string, unknown> | undefined
  /** What is drawn; absent where the panel keeps that itself. */
  chosen?: SummaryChosen
  onChoose?: (chosen: SummaryChosen) => void
  onGroup: (condition: RecordFilter) => void
  /** Absent where the panel is all there is. */
  onClose?: () => void
}) {
  const { object, fields, context, filter } = props
  const groups = useMemo(() => groupChoices(fields), [fields])
  const measures = useMemo(() => measureChoices(fields), [fields])
  const [own, setOwn] = useState<SummaryChosen>({ dimension: groups[0]?.value ?? '', measure: 'count', chart: 'bar' })
  const chosen = props.chosen ?? own
  const { dimension, measure, chart } = chosen
  const choose = (next: Partial<SummaryChosen>): void => (props.onChoose ?? setOwn)({ ...chosen, ...next })
  const { data, error, refetch } = useQuery({
    queryKey: ['summary', object, dimension, measure, filter],
    enabled: dimension !== '',
    queryFn: async ({ signal }) =>
      call('queryAnalytics', {
        body: {
          cube: object,
          dimensions: [dimension],
          measures: [measure],
          limit: maxGroups + 1,
          ...(filter === undefined ? {} : { where: filter }),
        },
        signal,
      }),
  })

  const known = readDimension(dimension, fields)
  const rows = (data?.data ?? []).slice(0, maxGroups).map((row) => {
    const value = row[dimension]
    const figure = row[measure]
    return {
      value,
      label: known ? dimensionText(value, dimension, known, context) : String(value),
      figure: typeof figure === 'number' ? figure : null,
    }
  })
  const format = (figure: number | null): string => figureText(figure, measure, fields, context)
  const measureLabel = measures.find(({ value }) => value === measure)?.label ?? measure
  const isAdditive = measure === 'count' || measure.endsWith('.sum')
  const total = rows.reduce((sum, { figure }) => sum + (figure ?? 0), 0)

  return (
    <section
      className={classes.summary}
      data-alone={props.onClose === undefined || undefined}
      aria-label={t('summary.title', { object: props.label })}
    >
      <div className={classes.summaryHead}>
        <h2 className={classes.summaryTitle}>{t('summary.title', { object: props.label })}</h2>
        <NativeSelect
          size="xs"
          label={t('summary.groupBy')}
          value={dimension}
          data={groups}
          data-autofocus
          onChange={(event) => choose({ dimension: event.currentTarget.value })}
        />
        <NativeSelect
          size="xs"
          label={t('summary.measure')}
          value={measure}
          data={measures}
          onChange={(event) => choose({ measure: event.currentTarget.value })}
        />
        <NativeSelect
          size="xs"
          label={t('summary.chart')}
          value={chart}
          data={chartTypes.map((type) => ({ value: type, label: t(`summary.chart.${type}`) }))}
          onChange={(event) => choose({ chart: event.currentTarget.value as ChartType })}
        />
        {props.onClose && <CloseButton aria-label={t('summary.close')} onClick={props.onClose} />}
      </div>
      {error ? (
        <LoadFailure error={error} onRetry={() => void refetch()} />
      ) : dimension === '' || (data && rows.length === 0) ? (
        <p className={classes.help}>{t('summary.none')}</p>
      ) : (
        <>
          <div className={`${classes.summaryTable} cairn-numbers`}>
            <table>
              <caption className="cairn-hidden">{t('summary.table')}</caption>
              <thead>
                <tr>
                  <th scope="col">{groups.find(({ value }) => value === dimension)?.label}</th>
                  <th scope="col" className={classes.figure}>
                    {measureLabel}
                  </th>
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => {
                  const condition = groupCondition(dimension, row.value, fields, context.timeZone)
                  return (
                    <tr key={JSON.stringify(row.value)}>
                      <th scope="row">
                        {condition ? (
                          <button
                            type="button"
                            className={classes.groupLink}
                            aria-label={t('summary.show', { group: row.label })}
                            onClick={() => props.onGroup(condition)}
                          >
                            {row.label}
                          </button>
                        ) : (
                          row.label
                        )}
                      </th>
                      <td className={classes.figure}>{format(row.figure)}</td>
                    </tr>
                  )
                })}
              </tbody>
              {isAdditive && rows.length > 1 && data && data.data.length <= maxGroups && (
                <tfoot>
                  <tr>
                    <th scope="row">{t('summary.total')}</th>
                    <td className={classes.figure}>{format(total)}</td>
                  </tr>
                </tfoot>
              )}
            </table>
            {data && data.data.length > maxGroups && (
              <p className={classes.help}>{t('summary.more', { count: maxGroups })}</p>
            )}
          </div>
          <div className={classes.summaryChart} aria-hidden>
            <Suspense fallback={null}>
              <SeriesChart
                type={chart}
                rows={rows}
                measure={measureLabel}
                format={format}
                axisFormat={(value) => shortFigure(value, context)}
              />
            </Suspense>
          </div>
        </>
      )}
    </section>
  )
}
