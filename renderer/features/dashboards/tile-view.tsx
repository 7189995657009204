// Owns which component shows a tile, and that a tile whose object the caller may not know says so.
import { Suspense } from 'react'
import { lazyPart } from '../../lib/lazy-part.ts'
import { t } from '../../lib/strings.ts'
import { useObjects } from '../objects/index.ts'
import { objectOfTile } from './dashboard-item.ts'
import type { Tile } from './dashboard-item.ts'
import { FigureTile } from './figure-tile.tsx'
import type { BarFilter } from './filter-bar-query.ts'
import { RecordsTile } from './records-tile.tsx'
import { TileFrame, TileNote, TileWaiting } from './tile-frame.tsx'
import { tileTitle } from './tile-words.ts'

const TextTile = lazyPart(async () => ({ default: (await import('./text-tile.tsx')).TextTile }))

/** A tile as everybody sees it. */
export function TileView(props: { tile: Tile; bar: BarFilter }) {
  const { tile, bar } = props
  const { data: objects, error, refetch } = useObjects()
  const name = objectOfTile(tile)
  const title = tileTitle(tile, objects ?? [])
  if (tile.type === 'text') {
    return (
      <Suspense fallback={null}>
        <TextTile tile={tile} title={title} />
      </Suspense>
    )
  }
  const object = objects?.find((one) => one.name === name)
  if (!object) {
    return (
      <TileFrame title={title}>
        {name === '' ? (
          <TileNote>{t('dashboards.tile.unset')}</TileNote>
        ) : objects ? (
          <TileNote>{t('dashboards.tile.closed')}</TileNote>
        ) : (
          <TileWaiting error={error} onRetry={() => void refetch()} />
        )}
      </TileFrame>
    )
  }
  const part = { tile, title, object, bar }
  return tile.view !== undefined || tile.type === 'list' ? <RecordsTile {...part} /> : <FigureTile {...part} />
}
