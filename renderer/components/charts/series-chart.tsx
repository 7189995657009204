// Owns drawing a series of figures as bars, a line, an area or a pie. Load it lazily: the library is the largest of the
// screens. A table beside it says the same.
import {
  Area,
  AreaChart,
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
  useChartWidth,
} from 'recharts'
import type { PieLabelRenderProps } from 'recharts'
import type { ChartType } from './chart-types.ts'

interface ChartRow {
  label: string
  figure: number | null
}

const hues = ['#2f6fde', '#0f8a5f', '#b45309', '#9333ea', '#c2255c', '#0b7285', '#5f6b2d', '#846358']
const axis = { stroke: 'var(--cairn-text-quiet)', fontSize: 11, tickLine: false } as const
/** Room for the figures beside a chart. */
const figuresWidth = 56
const margin = { top: 8, right: 8, bottom: 0, left: 0 }
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

const shortened = (label: unknown, letters: number): string => {
  const text = String(label)
  return text.length > letters ? `${text.slice(0, letters - 1)}…` : text
}

/** The chart; it fills its container. */
export function SeriesChart(props: {
  type: ChartType
  rows: readonly ChartRow[]
  measure: string
  format: (value: number) => string
  /** How figures are written beside an axis, where there is little room; absent: as elsewhere. */
  axisFormat?: (value: number) => string
  /** Called with the place of a row that was pointed at. */
  onPick?: ((at: number) => void) | undefined
}) {
  const data = props.rows.map(({ label, figure }) => ({ label, [props.measure]: figure ?? 0 }))
  const format = (value: unknown): string => props.format(Number(value))
  const { axisFormat = props.format, onPick } = props
  const frame = { data, margin, accessibilityLayer: false } as const
  // A line has no places of its own to be pointed at: what is nearest to the pointer counts.
  const nearest = onPick && {
    style: { cursor: 'pointer' },
    onClick: ({ activeTooltipIndex }: { activeTooltipIndex?: unknown }) => {
      if (activeTooltipIndex !== undefined && activeTooltipIndex !== null) onPick(Number(activeTooltipIndex))
    },
  }
  const part = onPick && { cursor: 'pointer', onClick: (_part: unknown, at: number) => onPick(at) }
  const axes = (
    <>
      <CartesianGrid stroke="var(--cairn-border)" vertical={false} />
      <LabelAxis labels={props.type === 'bar' ? props.rows.map(({ label }) => label) : []} />
      <YAxis {...axis} width={figuresWidth} tickFormatter={(value) => axisFormat(Number(value))} />
      <Tooltip {...tooltip} formatter={format} />
    </>
  )
  return (
    <ResponsiveContainer width="100%" height="100%">
      {props.type === 'pie' ? (
        <PieChart accessibilityLayer={false}>
          <Pie
            data={data}
            dataKey={props.measure}
            nameKey="label"
            innerRadius="32%"
            outerRadius="56%"
            isAnimationActive={false}
            label={PieLabel}
            labelLine={{ stroke: 'var(--cairn-border-strong)' }}
            {...part}
          >
            {data.map((row, at) => (
              <Cell key={row.label} fill={hues[at % hues.length]} stroke="var(--cairn-surface)" />
            ))}
          </Pie>
          <Tooltip {...tooltip} formatter={format} />
        </PieChart>
      ) : props.type === 'line' ? (
        <LineChart {...frame} {...nearest}>
          {axes}
          <Line dataKey={props.measure} stroke={hues[0]} strokeWidth={2} dot={false} isAnimationActive={false} />
        </LineChart>
      ) : props.type === 'area' ? (
        <AreaChart {...frame} {...nearest}>
          {axes}
          <Area
            dataKey={props.measure}
            stroke={hues[0]}
            strokeWidth={2}
            fill={hues[0]}
            fillOpacity={0.25}
            isAnimationActive={false}
          />
        </AreaChart>
      ) : (
        <BarChart {...frame}>
          {axes}
          <Bar
            dataKey={props.measure}
            fill={hues[0]}
            radius={[3, 3, 0, 0]}
            maxBarSize={96}
            isAnimationActive={false}
            {...part}
          />
        </BarChart>
      )}
    </ResponsiveContainer>
  )
}

/** The name of a slice, so that no colour has to be looked up. */
function PieLabel({ x, y, textAnchor, name }: PieLabelRenderProps) {
  return (
    <text x={x} y={y} textAnchor={textAnchor} dominantBaseline="central" fill="var(--cairn-text)" fontSize={11}>
      {shortened(name, 12)}
    </text>
  )
}

/** Letters of a label below a chart, of one that stands aslant, and about how wide one of them is. */
const labelLetters = 16
const slantedLetters = 13
const letterWidth = 6

/** The labels below a chart. Each of `labels` is shown, aslant where they would not stand beside each other. */
function LabelAxis({ labels }: { labels: readonly string[] }) {
  const width = (useChartWidth() ?? 0) - figuresWidth
  const longest = Math.max(0, ...labels.map(({ length }) => Math.min(length, labelLetters)))
  const isSlanted = labels.length > 0 && width > 0 && (longest * letterWidth + letterWidth) * labels.length > width
  const slant = isSlanted ? ({ angle: -35, textAnchor: 'end', height: 64, interval: 0 } as const) : {}
  const letters = isSlanted ? slantedLetters : labelLetters
  return <XAxis dataKey="label" {...axis} {...slant} tickFormatter={(label) => shortened(label, letters)} />
}
