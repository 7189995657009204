// Owns where tiles stand: in whole columns and rows, never over each other. A tile that is moved or grows pushes what it
// would cover downwards; gaps stay. Pure.
import type { Tile, TilePlace, TileType } from './dashboard-item.ts'

/** A tile that has its place. */
export type PlacedTile = Tile & { layout: TilePlace }

/** Highest tile, in rows. */
export const maxHeight = 20

/** What a new tile measures, in columns of twelve and rows. */
const sizes: Readonly<Record<TileType, { w: number; h: number }>> = {
  metric: { w: 3, h: 2 },
  chart: { w: 6, h: 4 },
  table: { w: 6, h: 4 },
  list: { w: 6, h: 4 },
  text: { w: 6, h: 2 },
}

/** All tiles in the order they are read in, those without a place below the others. */
export function placed(tiles: readonly Tile[], columns: number): PlacedTile[] {
  let done: PlacedTile[] = []
  for (const tile of tiles.filter(({ layout }) => layout !== undefined)) {
    done = [...done, { ...tile, layout: within(tile.layout!, columns) }]
  }
  done = settled(done)
  for (const tile of tiles.filter(({ layout }) => layout === undefined)) done = [...done, fitted(tile, done, columns)]
  return inOrder(done)
}

/** With one tile more, in the first room at the end that is wide enough. */
export function withTile(tiles: readonly PlacedTile[], tile: Tile, columns: number): PlacedTile[] {
  return inOrder([...tiles, fitted(tile, tiles, columns)])
}

/** With a tile gone some columns and rows further. */
export function moved(tiles: readonly PlacedTile[], id: string, dx: number, dy: number, columns: number): PlacedTile[] {
  return changedPlace(tiles, id, columns, ({ x, y, ...size }) => ({ ...size, x: x + dx, y: y + dy }))
}

/** With a tile some columns wider and rows higher. */
export function resized(
  tiles: readonly PlacedTile[],
  id: string,
  dw: number,
  dh: number,
  columns: number,
): PlacedTile[] {
  return changedPlace(tiles, id, columns, ({ w, h, x, y }) => ({ x, y, w: Math.min(w + dw, columns - x), h: h + dh }))
}

/** With a tile in the place of the one before or after it in reading order, which takes its place. */
export function exchanged(tiles: readonly PlacedTile[], id: string, by: -1 | 1, columns: number): PlacedTile[] {
  const order = inOrder(tiles)
  const at = order.findIndex((tile) => tile.id === id)
  const [own, other] = [order[at], order[at + by]]
  if (!own || !other) return order
  const { layout: to } = other
  const { layout: from } = own
  const next = order.map((tile) => {
    if (tile === own) return { ...tile, layout: within({ ...from, x: to.x, y: to.y }, columns) }
    return tile === other ? { ...tile, layout: within({ ...to, x: from.x, y: from.y }, columns) } : tile
  })
  return settled(next, by === -1 ? id : other.id)
}

function changedPlace(
  tiles: readonly PlacedTile[],
  id: string,
  columns: number,
  change: (place: TilePlace) => TilePlace,
): PlacedTile[] {
  const next = tiles.map((tile) => (tile.id === id ? { ...tile, layout: within(change(tile.layout), columns) } : tile))
  return settled(next, id)
}

function within({ x, y, w, h }: TilePlace, columns: number): TilePlace {
  const width = Math.min(Math.max(1, w), columns)
  return {
    x: Math.min(Math.max(0, x), columns - width),
    y: Math.max(0, y),
    w: width,
    h: Math.min(Math.max(1, h), maxHeight),
  }
}

/** Pushes tiles down until none covers another; the named one stays where it is. */
function settled(tiles: readonly PlacedTile[], first?: string): PlacedTile[] {
  const done: PlacedTile[] = tiles.filter(({ id }) => id === first)
  for (const tile of inOrder(tiles)) {
    if (tile.id === first) continue
    const { layout } = tile
    let { y } = layout
    for (;;) {
      const under = done.filter((other) => covers({ ...layout, y }, other.layout))
      if (under.length === 0) break
      y = Math.max(...under.map((other) => other.layout.y + other.layout.h))
    }
    done.push(y === layout.y ? tile : { ...tile, layout: { ...layout, y } })
  }
  return inOrder(done)
}

/** A tile with its usual size beside or below the last ones. */
function fitted(tile: Tile, others: readonly PlacedTile[], columns: number): PlacedTile {
  const size = { w: Math.max(1, Math.round((sizes[tile.type].w * columns) / 12)), h: sizes[tile.type].h }
  const bottom = Math.max(0, ...others.map(({ layout }) => layout.y + layout.h))
  const lastRow = Math.max(0, ...others.map(({ layout }) => layout.y))
  const end = Math.max(
    0,
    ...others.filter(({ layout }) => layout.y + layout.h > lastRow).map(({ layout: { x, w } }) => x + w),
  )
  const layout =
    others.length > 0 && end + size.w <= columns ? { ...size, x: end, y: lastRow } : { ...size, x: 0, y: bottom }
  return { ...tile, layout }
}

function covers(a: TilePlace, b: TilePlace): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
}

function inOrder(tiles: readonly PlacedTile[]): PlacedTile[] {
  return tiles.toSorted((a, b) => a.layout.y - b.layout.y || a.layout.x - b.layout.x)
}
