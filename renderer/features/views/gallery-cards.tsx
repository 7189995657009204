// Owns the cards of a gallery: in rows as wide as the room, drawn as far as they are in sight. Scrolling draws nothing else.
import { memo, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'
import { flushSync } from 'react-dom'
import type { GridRecord } from '../../components/grid/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import type { RecordRows } from '../records/index.ts'
import { CardMore, CardValues, cardHeight } from './record-card.tsx'
import { RecordCover } from './record-cover.tsx'
import classes from './gallery.module.css'

const gap = 16
/** Narrowest card. */
const minWidth = 208
/** Rows of cards beyond the edges that are drawn too. */
const spare = 1

/** The card the keyboard is on; `tick` counts how often it was moved there, 0 where it only was looked at. */
export interface ActiveCard {
  readonly line: number
  readonly tick: number
}

interface CardsProps {
  rows: RecordRows
  label: string
  fields: readonly FieldDefinition[]
  cover: FieldDefinition | undefined
  context: FieldContext
  titleOf: (record: GridRecord) => string
  active: ActiveCard
  /** Moves the keyboard to a card. */
  onFocus: (line: number) => void
  /** A card has the focus. */
  onActive: (line: number) => void
  onOpen: (line: number, id: string) => void
  onMenu: (record: GridRecord, anchor: HTMLElement) => void
  /** What stands there where there is no record. */
  empty: ReactNode
}

/** The cards, and what they scroll in. */
export function GalleryCards(props: CardsProps) {
  const { rows, fields, cover, context, active } = props
  useSyncExternalStore(rows.changes.subscribe, rows.changes.version)
  const scroller = useRef<HTMLDivElement>(null)
  const [room, setRoom] = useState({ width: 0, height: 0 })
  /** The first row of cards in sight. */
  const [topLine, setTopLine] = useState(0)
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const measure = (): void => setRoom({ width: element.clientWidth - 2 * gap, height: element.clientHeight })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const across = Math.max(1, Math.floor((room.width + gap) / (minWidth + gap)))
  const width = (room.width - gap * (across - 1)) / across
  const step = (cover ? Math.round((width * 2) / 3) : 0) + cardHeight(fields) + gap
  const lines = Math.ceil(rows.rowCount / across)
  const firstLine = Math.max(0, Math.min(topLine, lines) - spare)
  const endLine = Math.min(lines, topLine + Math.ceil(room.height / step) + 1 + spare)
  const first = firstLine * across
  const end = Math.min(rows.rowCount, endLine * across)
  // Where the card of the keyboard is out of sight, the Tab key leads to the first that is drawn.
  const stop = active.line >= first && active.line < end ? active.line : first
  const { onVisibleRange } = rows
  useEffect(() => {
    if (room.width > 0) onVisibleRange(first, end)
  }, [onVisibleRange, first, end, room.width])

  // The card the keyboard is on stays in sight.
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element || active.tick === 0) return
    const top = Math.floor(active.line / across) * step
    if (top < element.scrollTop) element.scrollTop = top
    else if (top + step > element.scrollTop + element.clientHeight)
      element.scrollTop = top + step - element.clientHeight
  }, [active, across, step])

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey || !(event.target as Element).closest('[data-card]')) return
    const { line } = active
    const to = {
      ArrowRight: line + 1,
      ArrowLeft: line - 1,
      ArrowDown: line + across,
      ArrowUp: line - across,
      Home: 0,
      End: rows.rowCount - 1,
    }[event.key]
    if (to === undefined) return
    event.preventDefault()
    if (to >= 0 && to < rows.rowCount) props.onFocus(to)
  }
  return (
    <div
      ref={scroller}
      className={classes.gallery}
      onScroll={(event) => {
        const line = Math.floor(event.currentTarget.scrollTop / step)
        // Drawn within the same frame: later, what was scrolled to would be blank.
        if (line !== topLine) flushSync(() => setTopLine(line))
      }}
    >
      {rows.total === 0 ? (
        props.empty
      ) : (
        <ul
          className={classes.cards}
          style={{ blockSize: lines * step }}
          aria-label={props.label}
          onKeyDown={onKeyDown}
        >
          {room.width > 0 &&
            Array.from({ length: Math.max(0, end - first) }, (_, at) => {
              const line = first + at
              const record = rows.getRow(line)
              return (
                <GallerySlot
                  key={record ? String(record.id) : line}
                  {...{ line, record, width, step, across, fields, cover, context }}
                  total={rows.total}
                  title={record ? props.titleOf(record) : ''}
                  tick={line === active.line ? active.tick : undefined}
                  isStop={line === stop}
                  onActive={props.onActive}
                  onOpen={props.onOpen}
                  onMenu={props.onMenu}
                />
              )
            })}
        </ul>
      )}
    </div>
  )
}

interface SlotProps {
  line: number
  /** Undefined while it is loaded. */
  record: GridRecord | undefined
  total: number | undefined
  title: string
  width: number
  step: number
  across: number
  fields: readonly FieldDefinition[]
  cover: FieldDefinition | undefined
  context: FieldContext
  /** Undefined where the keyboard is on another card. */
  tick: number | undefined
  /** Whether the Tab key leads to it. */
  isStop: boolean
  onActive: (line: number) => void
  onOpen: (line: number, id: string) => void
  onMenu: (record: GridRecord, anchor: HTMLElement) => void
}

/** Lists of fields are made anew with every drawing; what is in them is not. */
function isSameSlot({ fields, ...before }: SlotProps, { fields: fieldsNow, ...now }: SlotProps): boolean {
  return (
    fields.length === fieldsNow.length &&
    fields.every((field, at) => field === fieldsNow[at]) &&
    Object.entries(before).every(([name, value]) => now[name as keyof typeof now] === value)
  )
}

/** The place of one card; drawn again only when something of it changed, however far others were scrolled. */
const GallerySlot = memo(function GallerySlot(props: SlotProps) {
  const { line, record, width, step, across } = props
  return (
    <li
      className={classes.slot}
      style={{
        inlineSize: width,
        blockSize: step - gap,
        insetInlineStart: (line % across) * (width + gap),
        insetBlockStart: Math.floor(line / across) * step,
      }}
      aria-setsize={props.total}
      aria-posinset={line + 1}
    >
      {record && <GalleryCard {...props} record={record} />}
    </li>
  )
}, isSameSlot)

function GalleryCard(props: SlotProps & { record: GridRecord }) {
  const { line, tick, record, title, cover, context } = props
  const onOpen = (): void => props.onOpen(line, String(record.id))
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (tick !== undefined && tick > 0) button.current?.focus({ preventScroll: true })
  }, [tick, record.id])
  return (
    // The pointer's way only: the button inside is what everybody else uses.
    <div className={classes.card} data-card={String(record.id)} onClick={onOpen}>
      {cover && <RecordCover value={record[cover.name]} field={cover} context={context} />}
      <div className={classes.text} style={{ blockSize: cardHeight(props.fields) }}>
        <button
          ref={button}
          type="button"
          className={classes.title}
          tabIndex={props.isStop ? 0 : -1}
          onFocus={() => props.onActive(line)}
          onClick={(event) => {
            event.stopPropagation()
            onOpen()
          }}
        >
          {title}
        </button>
        <CardValues record={record} fields={props.fields} context={context} paired />
      </div>
      <CardMore record={record} title={title} isStop={props.isStop} onMenu={props.onMenu} />
    </div>
  )
}
