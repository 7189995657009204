// Owns standing tiles in columns and rows; where the room is narrow they stand below each other.
import type { CSSProperties, ReactNode, Ref } from 'react'
import classes from './dashboards.module.css'
import type { PlacedTile } from './tile-layout.ts'

/** The grid; `children` draws a tile. */
export function DashboardGrid(props: {
  tiles: readonly PlacedTile[]
  columns: number
  label: string
  grid?: Ref<HTMLUListElement>
  chosen?: string | undefined
  children: (tile: PlacedTile) => ReactNode
}) {
  return (
    <div className={classes.room}>
      <ul
        className={classes.grid}
        style={{ '--columns': props.columns } as CSSProperties}
        aria-label={props.label}
        ref={props.grid}
      >
        {props.tiles.map((tile) => {
          const { x, y, w, h } = tile.layout
          return (
            <li
              key={tile.id}
              className={classes.cell}
              data-chosen={tile.id === props.chosen || undefined}
              data-narrow={tile.type === 'metric' ? 'low' : tile.type === 'text' ? 'free' : undefined}
              style={{ '--x': x + 1, '--y': y + 1, '--w': w, '--h': h } as CSSProperties}
            >
              {props.children(tile)}
            </li>
          )
        })}
      </ul>
    </div>
  )
}
