// Owns the part of the designer that shows how an object is linked with others: a diagram, and the same as a list.
import { ListTable } from '../../components/list-table.tsx'
import parts from '../../components/parts.module.css'
import { t } from '../../lib/strings.ts'
import { objectLabel } from './object-item.ts'
import type { ObjectItem } from './object-item.ts'
import { useObjects } from './object-queries.ts'
import { relationsOf } from './relations.ts'
import type { Relation } from './relations.ts'
import classes from './preview.module.css'

const box = { width: 168, height: 36, gap: 24 }
const width = 720

/** The part; `object` is the draft as it would be saved. */
export function RelationsPart(props: { object: ObjectItem }) {
  const { object } = props
  const { data } = useObjects()
  const objects = [...(data ?? []).filter(({ name }) => name !== object.name), object]
  const relations = relationsOf(objects, object.name)
  const label = objectLabel(object)
  if (relations.length === 0) return <p>{t('relations.none')}</p>
  const columns = [{ label: t('word.object') }, { label: t('relations.field') }, { label: t('relations.to') }]
  const link = (name: string, text: string) =>
    name === object.name ? (
      text
    ) : (
      <a className={parts.link} href={`#/objects/${name}`}>
        {text}
      </a>
    )
  return (
    <>
      <p className={parts.lead}>{t('relations.lead', { object: label })}</p>
      <Diagram object={object} relations={relations} label={label} />
      <ListTable label={t('relations.list', { object: label })} columns={columns}>
        {relations.map((relation) => (
          <tr key={`${relation.from}.${relation.field}`}>
            <th scope="row">{link(relation.from, relation.fromLabel)}</th>
            <td>{relation.fieldLabel}</td>
            <td>{link(relation.to, relation.toLabel)}</td>
          </tr>
        ))}
      </ListTable>
    </>
  )
}

/** Objects that lead here on the left, those this one leads to on the right; links to itself stand in the list alone. */
function Diagram(props: { object: ObjectItem; relations: readonly Relation[]; label: string }) {
  const { object, relations, label } = props
  const left = relations.filter(({ from }) => from !== object.name)
  const right = relations.filter(({ from, to }) => from === object.name && to !== object.name)
  const rows = Math.max(left.length, right.length, 1)
  const height = rows * (box.height + box.gap)
  const middle = height / 2
  const centre = (at: number, count: number): number => (height / count) * (at + 0.5)
  const ownStart = (width - box.width) / 2
  const name = t('relations.diagram', { object: label })
  return (
    <div className={classes.diagram} tabIndex={0} role="region" aria-label={name}>
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={name}>
        {left.map((relation, at) => {
          const y = centre(at, left.length)
          return (
            <g key={`${relation.from}.${relation.field}`}>
              <Line from={[box.width, y]} to={[ownStart, middle]} text={relation.fieldLabel} end="from" />
              <Box x={0} y={y} text={relation.fromLabel} />
            </g>
          )
        })}
        {right.map((relation, at) => {
          const y = centre(at, right.length)
          return (
            <g key={relation.field}>
              <Line
                from={[ownStart + box.width, middle]}
                to={[width - box.width, y]}
                text={relation.fieldLabel}
                end="to"
              />
              <Box x={width - box.width} y={y} text={relation.toLabel} />
            </g>
          )
        })}
        <Box x={ownStart} y={middle} text={label} own />
      </svg>
    </div>
  )
}

function Box(props: { x: number; y: number; text: string; own?: boolean }) {
  const { x, y, own } = props
  return (
    <>
      <rect
        className={classes.box}
        data-own={own}
        x={x + 1}
        y={y - box.height / 2}
        width={box.width - 2}
        height={box.height}
        rx={4}
      />
      <text className={classes.boxText} x={x + box.width / 2} y={y} textAnchor="middle" dominantBaseline="central">
        {cut(props.text, 22)}
      </text>
    </>
  )
}

function Line(props: { from: [number, number]; to: [number, number]; text: string; end: 'from' | 'to' }) {
  const [[x1, y1], [x2, y2]] = [props.from, props.to]
  const half = (x1 + x2) / 2
  const [x, y] = props.end === 'from' ? [x1 + 6, y1 - 6] : [x2 - 6, y2 - 6]
  return (
    <>
      <path className={classes.line} d={`M ${x1} ${y1} C ${half} ${y1}, ${half} ${y2}, ${x2} ${y2}`} />
      <text className={classes.lineText} x={x} y={y} textAnchor={props.end === 'from' ? 'start' : 'end'}>
        {cut(props.text, 14)}
      </text>
    </>
  )
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}
