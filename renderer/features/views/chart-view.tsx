// Owns the chart: one figure of each group of the records as a drawing and the same as numbers; a group leads to its
// records in the grid.
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { EmptyState } from '../../components/notice.tsx'
import { chartTypes } from '../../components/charts/chart-types.ts'
import { navigate } from '../../lib/hash-location.ts'
import { tablePath } from '../../lib/record-address.ts'
import { onRecordsChanged } from '../../lib/record-changes.ts'
import { t } from '../../lib/strings.ts'
import { objectPluralLabel } from '../objects/index.ts'
import { SummaryPanel, chartOptions, narrowed, useLiveRows, writeQuery } from '../records/index.ts'
import type { ViewKindProps } from '../records/index.ts'
import { KindFrame } from './kind-frame.tsx'
import { useKindPart } from './use-kind-part.tsx'
import classes from './views.module.css'

const noRows = { patch: () => 0 }
const counted = { expand: [], sort: [], narrowed: true, figured: false }

/** The chart of a view. */
export function ChartView(props: ViewKindProps) {
  const part = useKindPart(props)
  const { object, options, query, filter } = part
  const client = useQueryClient()
  const reload = useCallback(
    async () => client.invalidateQueries({ queryKey: ['summary', object.name] }),
    [client, object.name],
  )
  part.bind({ ...noRows, reload })
  useLiveRows({ object: object.name, view: counted, rows: noRows, reload, isShown: true })
  useEffect(() => onRecordsChanged(object.name, () => void reload()), [object.name, reload])
  const { dimension = '', granularity = '' } = options
  return (
    <KindFrame
      part={part}
      own={null}
      sorted={false}
      searched={false}
      failure={undefined}
      onRetry={() => undefined}
      status={null}
      peek={null}
    >
      {dimension === '' ? (
        <EmptyState title={t('chart.missing')}>{t('chart.missing.text')}</EmptyState>
      ) : (
        <div className={classes.chart}>
          <SummaryPanel
            object={object.name}
            label={objectPluralLabel(object)}
            fields={part.fields}
            context={part.context}
            filter={filter}
            chosen={{
              dimension: granularity === '' ? dimension : `${dimension}.${granularity}`,
              measure: options.measures ?? 'count',
              chart: chartTypes.find((type) => type === options.chartType) ?? 'bar',
            }}
            onChoose={(chosen) => part.setOptions(chartOptions(chosen.dimension, chosen.measure, chosen.chart))}
            onGroup={(added) => {
              const view = writeQuery({ filter: narrowed(query.filter, added), sort: [], search: '', view: '' })
              navigate(tablePath(object.name, { view }))
            }}
          />
        </div>
      )}
    </KindFrame>
  )
}
