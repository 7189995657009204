// Owns drawing a series of figures as bars, a line or a pie. Load it lazily: the library is the largest of the screens.
// A table beside it says the same.
import {
  Bar,
  BarChart,
  CartesianGrid,
  Cell,
  Line,
  LineChart,
  Pie,
  PieChart,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts'
import type { ChartType } from './chart-types.ts'

interface ChartRow {
  label: string
  figure: number | null
}

const hues = ['#2f6fde', '#0f8a5f', '#b45309', '#9333ea', '#c2255c', '#0b7285', '#5f6b2d', '#846358']
const axis = { stroke: 'var(--cairn-text-quiet)', fontSize: 11, tickLine: false } as const
const tooltip = {
  contentStyle: {
    border: '1px solid var(--cairn-border)',
    borderRadius: 6,
    background: 'var(--cairn-surface-raised)',
    color: 'var(--cairn-text)',
    fontSize: 12,
  },
  itemStyle: { color: 'var(--cairn-text)' },
  cursor: { fill: 'var(--cairn-border)', opacity: 0.4 },
} as const

/** The chart; it fills its container. */
export function SeriesChart(props: {
  type: ChartType
  rows: readonly ChartRow[]
  measure: string
  format: (value: number) => string
}) {
  const data = props.rows.map(({ label, figure }) => ({ label, [props.measure]: figure ?? 0 }))
  const format = (value: unknown): string => props.format(Number(value))
  return (
    <ResponsiveContainer width="100%" height="100%">
      {props.type === 'pie' ? (
        <PieChart accessibilityLayer={false}>
          <Pie data={data} dataKey={props.measure} nameKey="label" innerRadius="45%" isAnimationActive={false}>
            {data.map((row, at) => (
              <Cell key={row.label} fill={hues[at % hues.length]} stroke="var(--cairn-surface)" />
            ))}
          </Pie>
          <Tooltip {...tooltip} formatter={format} />
        </PieChart>
      ) : props.type === 'line' ? (
        <LineChart accessibilityLayer={false} data={data} margin={{ top: 8, right: 8, bottom: 0, left: 0 }}>
          <CartesianGrid stroke="var(--cairn-border)" vertical={false} />
          <XAxis dataKey="label" {...axis} />
          <YAxis {...axis} width={56} tickFormatter={format} />
          <Tooltip {...tooltip} formatter={format} />
          <Line dataKey={props.measure} stroke={hues[0]} strokeWidth={2} dot={false} isAnimationActive={false} />
        </LineChart>
      ) : (
        <BarChart accessibilityLayer={false} data={data} margin={{ top: 8, right: 8, bottom: 0, left: 0 }}>
          <CartesianGrid stroke="var(--cairn-border)" vertical={false} />
          <XAxis dataKey="label" {...axis} />
          <YAxis {...axis} width={56} tickFormatter={format} />
          <Tooltip {...tooltip} formatter={format} />
          <Bar dataKey={props.measure} fill={hues[0]} radius={[3, 3, 0, 0]} isAnimationActive={false} />
        </BarChart>
      )}
    </ResponsiveContainer>
  )
}
