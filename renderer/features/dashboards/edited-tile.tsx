// Owns a tile in the editor: as everybody sees it, with a grip that moves it and a corner that resizes it, by pointer or
// by arrow keys. Knows no draft.
import { ActionIcon } from '@mantine/core'
import { IconGripVertical } from '@tabler/icons-react'
import { useRef } from 'react'
import type { KeyboardEvent, PointerEvent, RefObject } from 'react'
import { t } from '../../lib/strings.ts'
import classes from './dashboards.module.css'
import type { BarFilter } from './filter-bar-query.ts'
import type { PlacedTile } from './tile-layout.ts'
import { TileView } from './tile-view.tsx'

/** How a tile is changed by a drag. */
export type DragKind = 'move' | 'size'

const arrows: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** The tile. Distances are whole columns and rows; those of a drag count from where it began. */
export function EditedTile(props: {
  tile: PlacedTile
  title: string
  bar: BarFilter
  columns: number
  grid: RefObject<HTMLElement | null>
  helpId: string
  onChoose: () => void
  onKeyStep: (kind: DragKind, dx: number, dy: number) => void
  onDragStart: () => void
  onDrag: (kind: DragKind, dx: number, dy: number) => void
  onDragEnd: (kind: DragKind) => void
  onRemove: () => void
}) {
  const { tile, title, columns, grid } = props
  const from = useRef<{ x: number; y: number; column: number; row: number }>(undefined)

  const onPointerDown = (event: PointerEvent): void => {
    const pitch = grid.current && pitchOf(grid.current, columns)
    if (event.button !== 0 || !pitch) return
    event.preventDefault()
    event.currentTarget.setPointerCapture(event.pointerId)
    from.current = { x: event.clientX, y: event.clientY, ...pitch }
    props.onChoose()
    props.onDragStart()
  }
  const onPointerMove = (event: PointerEvent, kind: DragKind): void => {
    if (!from.current) return
    const { x, y, column, row } = from.current
    props.onDrag(kind, Math.round((event.clientX - x) / column), Math.round((event.clientY - y) / row))
  }
  const onPointerUp = (kind: DragKind): void => {
    if (!from.current) return
    from.current = undefined
    props.onDragEnd(kind)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const arrow = arrows[event.key]
    if (arrow && !event.altKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault()
      props.onKeyStep(event.shiftKey ? 'size' : 'move', ...arrow)
    } else if (event.key === 'Delete') {
      event.preventDefault()
      props.onRemove()
    }
  }
  return (
    <div className={classes.edited} onClick={props.onChoose}>
      <div className={classes.inner} inert>
        <TileView tile={tile} bar={props.bar} />
      </div>
      <ActionIcon
        className={classes.grip ?? ''}
        variant="default"
        size={24}
        data-grip={tile.id}
        aria-label={t('dashboards.tile.move', { tile: title })}
        aria-describedby={props.helpId}
        aria-keyshortcuts="ArrowLeft ArrowRight ArrowUp ArrowDown Shift+ArrowRight Shift+ArrowDown Delete"
        onFocus={props.onChoose}
        onKeyDown={onKeyDown}
        onPointerDown={onPointerDown}
        onPointerMove={(event) => onPointerMove(event, 'move')}
        onPointerUp={() => onPointerUp('move')}
        onPointerCancel={() => onPointerUp('move')}
      >
        <IconGripVertical size={16} aria-hidden />
      </ActionIcon>
      <span
        className={classes.corner}
        aria-hidden
        onPointerDown={onPointerDown}
        onPointerMove={(event) => onPointerMove(event, 'size')}
        onPointerUp={() => onPointerUp('size')}
        onPointerCancel={() => onPointerUp('size')}
      />
    </div>
  )
}

/** Distance between two columns and two rows in pixels; undefined where the tiles stand below each other. */
function pitchOf(grid: HTMLElement, columns: number): { column: number; row: number } | undefined {
  const { gridTemplateColumns, columnGap, rowGap, gridAutoRows } = getComputedStyle(grid)
  if (gridTemplateColumns.split(' ').length < columns) return undefined
  const gap = Number.parseFloat(columnGap)
  return {
    column: (grid.getBoundingClientRect().width + gap) / columns,
    row: Number.parseFloat(gridAutoRows) + Number.parseFloat(rowGap),
  }
}
