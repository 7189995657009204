// Owns the kanban: columns by the values of a field, moving cards between them by pointer, menu and key.
import { Menu } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'
import { EmptyState } from '../../components/notice.tsx'
import type { GridRecord } from '../../components/grid/index.ts'
import { fieldLabel, isEditable } from '../../fields/index.ts'
import type { FieldDefinition } from '../../fields/index.ts'
import { useCommands } from '../../lib/commands.ts'
import { t, tn } from '../../lib/strings.ts'
import { objectPluralLabel } from '../objects/index.ts'
import { columnFields, sumFields, useRecordPeek } from '../records/index.ts'
import type { ViewKindProps } from '../records/index.ts'
import type { BoardColumn } from './board-columns.ts'
import { CardMenu, menuAt } from './card-menu.tsx'
import type { OpenCardMenu } from './card-menu.tsx'
import { useFoldedColumns } from './folded-columns.ts'
import { KanbanColumn } from './kanban-column.tsx'
import type { ActiveCard } from './kanban-column.tsx'
import { KindFrame, OptionSelect } from './kind-frame.tsx'
import classes from './kanban.module.css'
import { useBoard } from './use-board.ts'
import { isPeekOpen, useKindPart } from './use-kind-part.tsx'
import type { KindPart } from './use-kind-part.tsx'

/** Cards of a column that are looked through for one that was moved. */
const looked = 200

/** The kanban of a view; without a field for its columns it asks for one. */
export function KanbanView(props: ViewKindProps) {
  const part = useKindPart(props)
  const choices = columnFields(part.fields)
  const { groupByField = '' } = part.options
  const field = choices.some(({ value }) => value === groupByField) ? part.field(groupByField) : undefined
  const own = (
    <>
      <OptionSelect
        label={t('kanban.columns')}
        value={groupByField}
        choices={choices}
        onChange={(value) => part.setOptions({ groupByField: value })}
      />
      <OptionSelect
        label={t('kanban.sum')}
        none={t('word.none')}
        value={part.options.sumField ?? ''}
        choices={sumFields(part.fields)}
        onChange={(value) => part.setOptions({ sumField: value })}
      />
    </>
  )
  if (!field) {
    return (
      <KindFrame part={part} own={own} failure={undefined} onRetry={() => undefined} status={null} peek={null}>
        <EmptyState title={t('kanban.missing')}>{t('kanban.missing.text')}</EmptyState>
      </KindFrame>
    )
  }
  return <KanbanBoard key={field.name} part={part} field={field} own={own} />
}

function KanbanBoard(props: { part: KindPart; field: FieldDefinition; own: ReactNode }) {
  const { part, field } = props
  const { object, query } = part
  const sumField = part.field(part.options.sumField)
  const board = useBoard(part, field, sumField)
  const [folded, fold] = useFoldedColumns(`${object.name}.${query.view}.${field.name}`)
  const [active, setActive] = useState<ActiveCard>()
  const [dragged, setDragged] = useState<GridRecord>()
  const [moving, setMoving] = useState<string>()
  const [menu, setMenu] = useState<OpenCardMenu>()
  const [said, setSaid] = useState('')
  /** A card that was moved: the focus goes to it once it is there. */
  const wanted = useRef<{ id: string; key: string; left: { key: string; offset: number } }>(undefined)
  const isMoving = useRef(false)
  const canMove = isEditable(field)
  const open = board.columns.filter(({ key }) => !folded.has(key))
  const fields = part.cardFields([field.name])
  part.bind({ reload: board.reload })

  const cards = cardsOf(open, board.rows.row)
  const { open: openRecord, peek } = useRecordPeek({
    object,
    address: part.address,
    rows: {
      rowCount: cards.count,
      getRow: cards.at,
      loadRows: async (first, end) =>
        Promise.all(Array.from({ length: end - first }, (_, at) => cards.load(board.rows.rows, first + at))).then(
          (rows) => rows.flat(),
        ),
      follow: (id, place) => (cards.at(place)?.id === id ? place : cards.placeOf(id)),
    },
    render: part.peek,
    onShown: (line) => {
      const place = line === undefined ? undefined : cards.columnAt(line)
      if (place) setActive((before) => ({ ...place, tick: isPeekOpen() ? 0 : (before?.tick ?? 0) + 1 }))
    },
  })
  const focus = (key: string, offset: number): void =>
    setActive((before) => ({ key, offset, tick: (before?.tick ?? 0) + 1 }))

  const move = async (record: GridRecord, column: BoardColumn): Promise<void> => {
    const from = active ?? { key: column.key, offset: 0 }
    isMoving.current = true
    setMoving(String(record.id))
    const done = await part.change(record, { [field.name]: column.value })
    if (done) {
      wanted.current = { id: String(record.id), key: column.key, left: from }
      setSaid(t('kanban.moved', { record: part.titleOf(record), name: column.label }))
      await board.reload()
    } else {
      isMoving.current = false
      focus(from.key, from.offset)
    }
    setMoving(undefined)
  }

  // After a move the card stands elsewhere, or beyond what is loaded; then the focus stays where it was.
  useEffect(() => {
    const target = wanted.current
    if (!target || board.loading || moving !== undefined) return
    wanted.current = undefined
    isMoving.current = false
    for (let offset = 0; offset < looked; offset++) {
      if (board.rows.row(target.key, offset)?.id === target.id) return focus(target.key, offset)
    }
    const left = board.columns.find(({ key }) => key === target.left.key)
    if (left && left.count > 0) focus(left.key, Math.min(target.left.offset, left.count - 1))
  })

  const activeColumn = open.find(({ key }) => key === active?.key)
  const current =
    active && activeColumn ? { ...active, offset: Math.min(active.offset, activeColumn.count - 1) } : first(open)
  const activeRecord = current && board.rows.row(current.key, current.offset)

  const onKeyDown = (event: KeyboardEvent): void => {
    if (!current || event.altKey || event.ctrlKey || event.metaKey) return
    if (!(event.target as Element).closest('[data-card]')) return
    const next = step(open, current, event.key)
    if (!next) return
    event.preventDefault()
    focus(next.key, next.offset)
  }
  useCommands([
    {
      id: 'kanban.move',
      label: t('kanban.move'),
      group: 'records',
      shortcut: 'M',
      enabled: canMove && activeRecord !== undefined,
      run: () => {
        const card = activeRecord && document.querySelector(`[data-card="${String(activeRecord.id)}"]`)
        // The key that opened it must not choose its first entry.
        if (card) setTimeout(() => setMenu(menuAt(activeRecord, card)))
      },
    },
    {
      id: 'records.open',
      label: t('records.open'),
      group: 'records',
      enabled: openRecord !== undefined && activeRecord !== undefined,
      run: () => current && activeRecord && openRecord?.(cards.lineOf(current), String(activeRecord.id)),
    },
  ])
  const total = board.columns.reduce((sum, { count }) => sum + count, 0)
  const isNarrowed = part.filter !== undefined || query.search !== ''

  return (
    <KindFrame
      part={part}
      own={props.own}
      failure={board.isReady ? undefined : board.error}
      onRetry={board.retry}
      status={
        board.isReady && (
          <>
            <span role="status">{tn(isNarrowed ? 'records.countFiltered' : 'records.count', total)}</span>
            {board.error !== null && board.error !== undefined && <span role="alert">{t('records.failedBlock')}</span>}
          </>
        )
      }
      hint={t('kanban.hint')}
      initial={() => startOf(field, activeColumn?.value)}
      peek={peek}
    >
      {!canMove && <p className={classes.fixed}>{t('kanban.fixed', { field: fieldLabel(field) })}</p>}
      {/* Keys of the cards, which are buttons. */}
      <div
        className={classes.board}
        role="group"
        aria-label={t('kanban.board', { object: objectPluralLabel(object), field: fieldLabel(field) })}
        onKeyDown={onKeyDown}
      >
        {board.isReady &&
          board.columns.map((column) => (
            <KanbanColumn
              key={column.key}
              part={part}
              board={board}
              column={column}
              fields={fields}
              sumLabel={sumField && fieldLabel(sumField)}
              start={startOf(field, column.value)}
              folded={folded.has(column.key)}
              active={current?.key === column.key ? current : undefined}
              accepts={dragged !== undefined && canMove}
              moving={moving}
              canMove={canMove}
              onFold={(isFolded) => fold(column.key, isFolded)}
              onActive={(offset) => setActive({ key: column.key, offset, tick: 0 })}
              onOpen={(offset, record) => openRecord?.(cards.lineOf({ key: column.key, offset }), String(record.id))}
              onMenu={(record, anchor) => setMenu(menuAt(record, anchor))}
              onDrag={setDragged}
              onDrop={() => {
                if (dragged) void move(dragged, column)
                setDragged(undefined)
              }}
            />
          ))}
      </div>
      <span className="cairn-hidden" role="status">
        {said}
      </span>
      <CardMenu
        part={part}
        open={menu}
        onClose={() => setMenu(undefined)}
        onClosed={() => current && !isMoving.current && focus(current.key, current.offset)}
        onOpen={openRecord && ((record) => openRecord(cards.placeOf(String(record.id)) ?? 0, String(record.id)))}
      >
        {() =>
          canMove && (
            <>
              <Menu.Label>{t('kanban.move')}</Menu.Label>
              {board.columns.map((column) => (
                <Menu.Item
                  key={column.key}
                  leftSection={<span className={`${classes.dot} ${column.hue ?? ''}`} aria-hidden />}
                  onClick={() => menu && void move(menu.record, column)}
                >
                  {column.label}
                </Menu.Item>
              ))}
              <Menu.Divider />
            </>
          )
        }
      </CardMenu>
    </KindFrame>
  )
}

function startOf(field: FieldDefinition, value: unknown): Readonly<Record<string, unknown>> {
  return value === null || value === undefined ? {} : { [field.name]: value }
}

function first(open: readonly BoardColumn[]): ActiveCard | undefined {
  const column = open.find(({ count }) => count > 0)
  return column && { key: column.key, offset: 0, tick: 0 }
}

/** Where a key leads from a card; undefined for nowhere. */
function step(
  open: readonly BoardColumn[],
  from: { key: string; offset: number },
  pressed: string,
): { key: string; offset: number } | undefined {
  const filled = open.filter(({ count }) => count > 0)
  const at = filled.findIndex(({ key }) => key === from.key)
  const column = filled[at]
  if (!column) return undefined
  const within = {
    ArrowDown: from.offset + 1,
    ArrowUp: from.offset - 1,
    Home: 0,
    End: column.count - 1,
    PageDown: Math.min(from.offset + 10, column.count - 1),
    PageUp: Math.max(from.offset - 10, 0),
  }[pressed]
  if (within !== undefined) {
    return within < 0 || within >= column.count ? undefined : { key: column.key, offset: within }
  }
  const beside = filled[pressed === 'ArrowRight' ? at + 1 : pressed === 'ArrowLeft' ? at - 1 : -1]
  return beside && { key: beside.key, offset: Math.min(from.offset, beside.count - 1) }
}

/** The cards of all open columns in one list, the leftmost column first. */
function cardsOf(open: readonly BoardColumn[], row: (key: string, offset: number) => GridRecord | undefined) {
  const count = open.reduce((sum, column) => sum + column.count, 0)
  const columnAt = (line: number): { key: string; offset: number } | undefined => {
    let rest = line
    for (const column of open) {
      if (rest < column.count) return { key: column.key, offset: rest }
      rest -= column.count
    }
    return undefined
  }
  const lineOf = ({ key, offset }: { key: string; offset: number }): number => {
    let before = 0
    for (const column of open) {
      if (column.key === key) return before + offset
      before += column.count
    }
    return 0
  }
  const at = (line: number): GridRecord | undefined => {
    const place = columnAt(line)
    return place && row(place.key, place.offset)
  }
  return {
    count,
    columnAt,
    lineOf,
    at,
    load: async (
      rows: (key: string, start: number, end: number) => Promise<GridRecord[]>,
      line: number,
    ): Promise<GridRecord[]> => {
      const place = columnAt(line)
      return place ? rows(place.key, place.offset, place.offset + 1) : []
    },
    placeOf: (id: string): number | undefined => {
      for (const { key, count: length } of open) {
        for (let offset = 0; offset < Math.min(length, looked); offset++) {
          if (row(key, offset)?.id === id) return lineOf({ key, offset })
        }
      }
      return undefined
    },
  }
}
