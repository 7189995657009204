// Owns one column of a kanban: its head, its cards as far as they are in sight, dropping onto it, adding to it.
import { ActionIcon, Button, CloseButton, TextInput } from '@mantine/core'
import { IconChevronLeft, IconChevronRight, IconPlus } from '@tabler/icons-react'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { DragEvent } from 'react'
import type { GridRecord } from '../../components/grid/index.ts'
import { fieldLabel, fieldTypeOf, isEditable } from '../../fields/index.ts'
import type { FieldDefinition } from '../../fields/index.ts'
import { t, tn } from '../../lib/strings.ts'
import type { BoardColumn } from './board-columns.ts'
import { cardPlaces } from './card-places.ts'
import { CardMore, CardValues, cardHeight, recordHeight } from './record-card.tsx'
import type { Board } from './use-board.ts'
import type { KindPart } from './use-kind-part.tsx'
import classes from './kanban.module.css'

const gap = 8
/** Cards beyond the edges that are drawn too. */
const spare = 4

/** The card the keyboard is on; `tick` rises when the focus has to follow. */
export interface ActiveCard {
  key: string
  offset: number
  tick: number
}

/** The column. */
export function KanbanColumn(props: {
  part: KindPart
  board: Board
  column: BoardColumn
  fields: readonly FieldDefinition[]
  sumLabel: string | undefined
  /** Values a record has that is added here. */
  start: Readonly<Record<string, unknown>>
  folded: boolean
  active: ActiveCard | undefined
  /** Whether a card is being dragged that may be dropped here. */
  accepts: boolean
  /** Id of the card that is being moved. */
  moving: string | undefined
  canMove: boolean
  onFold: (folded: boolean) => void
  onActive: (offset: number) => void
  onOpen: (offset: number, record: GridRecord) => void
  onMenu: (record: GridRecord, anchor: HTMLElement) => void
  onDrag: (record: GridRecord | undefined) => void
  onDrop: () => void
}) {
  const { part, board, column, fields, active } = props
  const list = useRef<HTMLDivElement>(null)
  const [range, setRange] = useState({ first: 0, end: 0 })
  const [isOver, setIsOver] = useState(false)
  const { show, rows } = board
  const { key, count } = column
  const { context } = part
  const names = fields.map(({ name }) => name).join()
  const { version } = rows.snapshot()
  const places = useMemo(() => {
    const full = cardHeight(fields)
    return cardPlaces(count, gap, (offset) => {
      const record = rows.row(key, offset)
      return record ? recordHeight(record, fields, context) : full
    })
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- a list of fields is made anew with every drawing
  }, [rows, version, key, count, names, context])

  /** The first card in sight, and how much of it is above. */
  const top = useRef({ offset: 0, above: 0 })
  // What is in sight, whenever it scrolls, grows, or the cards change their height.
  const see = (): void => {
    const element = list.current
    if (!element) return
    const { scrollTop, clientHeight } = element
    const offset = places.at(scrollTop)
    top.current = { offset, above: scrollTop - places.topOf(offset) }
    const first = Math.max(0, offset - spare)
    const end = Math.min(count, places.at(scrollTop + clientHeight) + 1 + spare)
    setRange((before) => (before.first === first && before.end === end ? before : { first, end }))
  }
  // Cards that arrive above are seldom as high as was thought: what is in sight stays where it is.
  useLayoutEffect(() => {
    const { offset, above } = top.current
    if (list.current && offset > 0) list.current.scrollTop = places.topOf(offset) + above
  }, [places])
  useLayoutEffect(see)
  const latest = useRef(see)
  latest.current = see
  useEffect(() => {
    const element = list.current
    if (!element) return
    const observer = new ResizeObserver(() => latest.current())
    observer.observe(element)
    return () => observer.disconnect()
  }, [props.folded])
  useEffect(() => {
    if (!props.folded) show({ key, first: range.first, end: range.end })
    return () => show({ key, first: 0, end: 0 })
  }, [show, key, range.first, range.end, props.folded])

  const offset = active?.offset
  const placed = useRef(places)
  placed.current = places
  useLayoutEffect(() => {
    const element = list.current
    if (!element || offset === undefined) return
    const end = placed.current.topOf(offset + 1)
    if (placed.current.topOf(offset) < element.scrollTop) element.scrollTop = placed.current.topOf(offset)
    else if (end > element.scrollTop + element.clientHeight) element.scrollTop = end - element.clientHeight
  }, [offset, active?.tick, names])

  const drop = {
    'data-over': (isOver && props.accepts) || undefined,
    onDragOver: (event: DragEvent) => {
      if (!props.accepts) return
      event.preventDefault()
      setIsOver(true)
    },
    onDragLeave: (event: DragEvent) => {
      if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setIsOver(false)
    },
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      setIsOver(false)
      if (props.accepts) props.onDrop()
    },
  }
  const name = tn('kanban.column', count, { name: column.label })

  if (props.folded) {
    return (
      <section className={classes.folded} aria-label={name} {...drop}>
        <ActionIcon
          size={24}
          variant="subtle"
          color="gray"
          aria-expanded={false}
          aria-label={t('kanban.expand', { name: column.label })}
          onClick={() => props.onFold(false)}
        >
          <IconChevronRight size={16} aria-hidden />
        </ActionIcon>
        <span className={classes.foldedName}>
          <span className={`${classes.dot} ${column.hue ?? ''}`} aria-hidden />
          {column.label} <span className={classes.count}>{count}</span>
        </span>
      </section>
    )
  }
  return (
    <section className={classes.column} aria-label={name} data-column={key} {...drop}>
      <div className={classes.head}>
        <span className={`${classes.dot} ${column.hue ?? ''}`} aria-hidden />
        <h2 className={classes.name}>{column.label}</h2>
        <span className={classes.count}>{count.toLocaleString(part.context.locale)}</span>
        {column.sum !== '' && (
          <span className={classes.sum}>
            <span className="cairn-hidden">{t('kanban.columnSum', { field: props.sumLabel ?? '', sum: '' })}</span>
            {column.sum}
          </span>
        )}
        <ActionIcon
          className={classes.fold}
          size={24}
          variant="subtle"
          color="gray"
          aria-expanded
          aria-label={t('kanban.collapse', { name: column.label })}
          onClick={() => props.onFold(true)}
        >
          <IconChevronLeft size={16} aria-hidden />
        </ActionIcon>
      </div>
      <div ref={list} className={classes.list} onScroll={see}>
        {count === 0 ? (
          <p className={classes.none}>{t('kanban.empty')}</p>
        ) : (
          <ul className={classes.cards} style={{ blockSize: places.topOf(count) }}>
            {Array.from({ length: Math.max(0, range.end - range.first) }, (_, at) => {
              const place = range.first + at
              const record = rows.row(key, place)
              const isActive = place === offset
              return (
                <li
                  key={record ? String(record.id) : place}
                  className={classes.slot}
                  style={{
                    transform: `translateY(${places.topOf(place)}px)`,
                    blockSize: places.topOf(place + 1) - places.topOf(place) - gap,
                  }}
                  aria-setsize={count}
                  aria-posinset={place + 1}
                >
                  {record ? (
                    <Card
                      {...props}
                      record={record}
                      tick={isActive ? active?.tick : undefined}
                      isStop={place === (offset ?? (range.first === 0 ? 0 : range.first + spare))}
                      onActive={() => props.onActive(place)}
                      onOpen={() => props.onOpen(place, record)}
                    />
                  ) : (
                    <span className={classes.card} data-waiting />
                  )}
                </li>
              )
            })}
          </ul>
        )}
      </div>
      <AddCard part={part} column={column} start={props.start} />
    </section>
  )
}

function Card(props: {
  part: KindPart
  record: GridRecord
  fields: readonly FieldDefinition[]
  /** Whether the Tab key leads to it. */
  isStop: boolean
  tick: number | undefined
  moving: string | undefined
  canMove: boolean
  onActive: () => void
  onOpen: () => void
  onMenu: (record: GridRecord, anchor: HTMLElement) => void
  onDrag: (record: GridRecord | undefined) => void
}) {
  const { part, record, tick } = props
  const button = useRef<HTMLButtonElement>(null)
  const title = part.titleOf(record)
  useEffect(() => {
    if (tick !== undefined && tick > 0) button.current?.focus({ preventScroll: true })
  }, [tick, record.id])
  return (
    // The pointer's way only: the button inside is what everybody else uses.
    <div
      className={classes.card}
      draggable={props.canMove}
      data-card={String(record.id)}
      data-moving={props.moving === record.id || undefined}
      onDragStart={(event) => {
        event.dataTransfer.setData('text/plain', title)
        event.dataTransfer.effectAllowed = 'move'
        props.onDrag(record)
      }}
      onDragEnd={() => props.onDrag(undefined)}
      onClick={props.onOpen}
    >
      <button
        ref={button}
        type="button"
        className={classes.title}
        tabIndex={props.isStop ? 0 : -1}
        aria-keyshortcuts="M"
        onFocus={props.onActive}
        onClick={(event) => {
          event.stopPropagation()
          props.onOpen()
        }}
      >
        {title}
      </button>
      <CardValues record={record} fields={props.fields} context={part.context} />
      <CardMore record={record} title={title} isStop={props.isStop} onMenu={props.onMenu} />
    </div>
  )
}

/**
 * The foot of a column: names a record and adds it there; what else it needs is asked in the form.
 * @internal Seen by tests.
 */
export function AddCard(props: { part: KindPart; column: BoardColumn; start: Readonly<Record<string, unknown>> }) {
  const { part, column, start } = props
  const { titleField } = part
  const [text, setText] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const button = useRef<HTMLButtonElement>(null)

  const close = (): void => {
    setText(undefined)
    setProblem(undefined)
    setTimeout(() => button.current?.focus())
  }
  const add = async (): Promise<void> => {
    if (!titleField || text === undefined || text.trim() === '') return
    const read = fieldTypeOf(titleField).parse(text, titleField, part.context)
    if (!read.ok) return setProblem(read.message)
    // The next one can be typed at once.
    setText('')
    const failed = await part.add({ ...start, [titleField.name]: read.value })
    setProblem(failed)
    if (failed !== undefined) setText((next = '') => `${text} ${next}`.trimEnd())
  }

  if (text === undefined) {
    return (
      <Button
        ref={button}
        className={classes.add}
        size="xs"
        variant="subtle"
        color="gray"
        justify="flex-start"
        leftSection={<IconPlus size={14} aria-hidden />}
        aria-label={t('kanban.addTo', { name: column.label })}
        onClick={() => (titleField && isEditable(titleField) ? setText('') : part.openNew(start))}
      >
        {t('kanban.add')}
      </Button>
    )
  }
  return (
    <div className={classes.adding}>
      <TextInput
        size="xs"
        aria-label={t('kanban.addName', { field: titleField ? fieldLabel(titleField) : '' })}
        placeholder={titleField ? fieldLabel(titleField) : ''}
        value={text}
        error={problem}
        autoFocus
        rightSection={<CloseButton size="sm" aria-label={t('app.cancel')} onClick={close} />}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Enter') void add()
          if (event.key === 'Escape') close()
        }}
      />
      <Button
        size="compact-xs"
        variant="subtle"
        onClick={() => {
          part.openNew({ ...start, ...(titleField ? { [titleField.name]: text } : {}) })
          setText(undefined)
        }}
      >
        {t('kanban.addAll')}
      </Button>
    </div>
  )
}
