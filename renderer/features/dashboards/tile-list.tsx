// Owns the tiles of a draft as a list: the twin of the grid for keyboard and readers. A tile is chosen, moved before or
// behind its neighbour, and removed.
import { ActionIcon } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { useRef } from 'react'
import type { KeyboardEvent } from 'react'
import { t } from '../../lib/strings.ts'
import type { ObjectItem } from '../objects/index.ts'
import classes from './dashboards.module.css'
import type { PlacedTile } from './tile-layout.ts'
import { tileTitle } from './tile-words.ts'

/** The list; Alt with an arrow moves a tile, Delete removes it. */
export function TileList(props: {
  tiles: readonly PlacedTile[]
  objects: readonly ObjectItem[]
  chosen: string | undefined
  onChoose: (id: string) => void
  onMove: (id: string, by: -1 | 1) => void
  onRemove: (id: string) => void
}) {
  const { tiles, objects, onMove } = props
  const list = useRef<HTMLOListElement>(null)
  const focus = (id: string): void => {
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>(`[data-tile="${CSS.escape(id)}"]`)?.focus())
  }
  const onKeyDown = (event: KeyboardEvent, id: string): void => {
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : undefined
    if (by !== undefined && event.altKey) {
      event.preventDefault()
      onMove(id, by)
      focus(id)
    } else if (event.key === 'Delete') {
      event.preventDefault()
      const at = tiles.findIndex((tile) => tile.id === id)
      const next = tiles[at + 1] ?? tiles[at - 1]
      props.onRemove(id)
      if (next) focus(next.id)
    }
  }
  return (
    <ol className={classes.list} ref={list} aria-label={t('word.tiles')}>
      {tiles.map((tile, at) => {
        const title = tileTitle(tile, objects)
        return (
          <li key={tile.id}>
            <button
              type="button"
              data-tile={tile.id}
              className={classes.listed}
              aria-pressed={tile.id === props.chosen}
              aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown Delete"
              onClick={() => props.onChoose(tile.id)}
              onKeyDown={(event) => onKeyDown(event, tile.id)}
            >
              {title}
            </button>
            <ActionIcon
              variant="subtle"
              color="gray"
              size={24}
              disabled={at === 0}
              aria-label={t('dashboards.tile.up', { tile: title })}
              onClick={() => onMove(tile.id, -1)}
            >
              <IconArrowUp size={14} aria-hidden />
            </ActionIcon>
            <ActionIcon
              variant="subtle"
              color="gray"
              size={24}
              disabled={at === tiles.length - 1}
              aria-label={t('dashboards.tile.down', { tile: title })}
              onClick={() => onMove(tile.id, 1)}
            >
              <IconArrowDown size={14} aria-hidden />
            </ActionIcon>
          </li>
        )
      })}
    </ol>
  )
}
