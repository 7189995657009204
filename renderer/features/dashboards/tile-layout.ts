// Owns where tiles stand: in whole columns and rows, never over each other. A tile that is moved or grows pushes what it
// would cover downwards; gaps stay, until a new tile fills them. Pure.
import type { Tile, TilePlace, TileType } from './dashboard-item.ts'

/** A tile that has its place. */
export type PlacedTile = Tile & { layout: TilePlace }

/** Highest tile, in rows. */
export const maxHeight = 20

/** How narrow a new tile may be, in columns of twelve, and how high it is, in rows. */
const sizes: Readonly<Record<TileType, { w: number; h: number }>> = {
  metric: { w: 3, h: 2 },
  chart: { w: 4, h: 4 },
  table: { w: 6, h: 4 },
  list: { w: 6, h: 4 },
  text: { w: 3, h: 2 },
}

/** All tiles in the order they are read in, those without a place below the others. */
export function placed(tiles: readonly Tile[], columns: number): PlacedTile[] {
  let done: PlacedTile[] = []
  for (const tile of tiles.filter(({ layout }) => layout !== undefined)) {
    done = [...done, { ...tile, layout: within(tile.layout!, columns) }]
  }
  done = settled(done)
  const isFixed = new Set(done.map(({ id }) => id))
  for (const tile of tiles.filter(({ layout }) => layout === undefined)) {
    done = withTile(done, tile, columns, ({ id }) => !isFixed.has(id))
  }
  return inOrder(done)
}

/**
 * With one tile more: in the first gap that has room for it, which it fills; else at the end of the last row, whose tiles
 * share the width, as far as they are as high and stand there as this would place them; else in a row of its own.
 * @param mayShrink whether a tile may become narrower for it
 */
export function withTile(
  tiles: readonly PlacedTile[],
  tile: Tile,
  columns: number,
  mayShrink: (tile: PlacedTile) => boolean = () => true,
): PlacedTile[] {
  const { h } = sizes[tile.type]
  const bottom = Math.max(0, ...tiles.map(({ layout }) => layout.y + layout.h))
  const gap = gapFor(leastWidth(tile, columns), h, tiles, columns, bottom)
  if (gap) return inOrder([...tiles, { ...tile, layout: gap }])
  const last = inOrder(tiles).filter(({ layout }) => layout.y + layout.h === bottom)
  const shared = [...last, { ...tile, layout: { x: 0, y: bottom - h, w: columns, h } }]
  const isShared =
    last.length > 0 &&
    last.every(mayShrink) &&
    last.every(({ layout }) => layout.h === h) &&
    samePlaces(last, sharing(last, columns)) &&
    sharing(shared, columns).every((one) => one.layout.w >= leastWidth(one, columns))
  return isShared
    ? inOrder([...tiles.filter((one) => !last.includes(one)), ...sharing(shared, columns)])
    : inOrder([...tiles, { ...tile, layout: { x: 0, y: bottom, w: columns, h } }])
}

const leastWidth = ({ type }: Tile, columns: number): number => Math.max(1, Math.round((sizes[type].w * columns) / 12))

/** Tiles of one row with the same width each; what is over is the last one's. */
function sharing(row: readonly PlacedTile[], columns: number): PlacedTile[] {
  const w = Math.floor(columns / row.length)
  return row.map((tile, at) => {
    const x = at * w
    return { ...tile, layout: { ...tile.layout, x, w: at === row.length - 1 ? columns - x : w } }
  })
}

const samePlaces = (some: readonly PlacedTile[], others: readonly PlacedTile[]): boolean =>
  some.every(({ layout }, at) => layout.x === others[at]?.layout.x && layout.w === others[at].layout.w)

/** The first gap between tiles of at least this size, as wide and high as it is. */
function gapFor(
  w: number,
  h: number,
  tiles: readonly PlacedTile[],
  columns: number,
  bottom: number,
): TilePlace | undefined {
  const isFree = (place: TilePlace): boolean =>
    place.x + place.w <= columns && place.y + place.h <= bottom && tiles.every(({ layout }) => !covers(place, layout))
  for (let y = 0; y + h <= bottom; y++) {
    for (let x = 0; x + w <= columns; x++) {
      const place = { x, y, w, h }
      if (!isFree(place)) continue
      while (isFree({ ...place, w: place.w + 1 })) place.w++
      while (place.h < maxHeight && isFree({ ...place, h: place.h + 1 })) place.h++
      return place
    }
  }
  return undefined
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

/** With a tile for its former self; one that becomes another type is as high as a new one of it, or higher if it was made so. */
export function replaced(tiles: readonly PlacedTile[], tile: Tile, columns: number): PlacedTile[] {
  const next = tiles.map((one) => (one.id === tile.id ? { ...tile, layout: one.layout } : one))
  const former = tiles.find(({ id }) => id === tile.id)
  if (!former || former.type === tile.type) return next
  const missing = sizes[tile.type].h - former.layout.h
  const isUsual = former.layout.h === sizes[former.type].h
  return resized(next, tile.id, 0, isUsual ? missing : Math.max(0, missing), columns)
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

function covers(a: TilePlace, b: TilePlace): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
}

function inOrder(tiles: readonly PlacedTile[]): PlacedTile[] {
  return tiles.toSorted((a, b) => a.layout.y - b.layout.y || a.layout.x - b.layout.x)
}
