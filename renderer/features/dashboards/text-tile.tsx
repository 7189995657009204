// Owns a tile of text that people wrote as Markdown; apart from the others, because what reads it is loaded with it.
import { useLayoutEffect, useRef } from 'react'
import { renderMarkdown } from '../../lib/markdown.ts'
import { t } from '../../lib/strings.ts'
import type { Tile } from './dashboard-item.ts'
import classes from './dashboards.module.css'
import { TileFrame, TileNote } from './tile-frame.tsx'

/** The tile. */
export function TextTile(props: { tile: Tile; title: string }) {
  const text = props.tile.options?.['text']
  const words = typeof text === 'string' ? text.trim() : ''
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const content = renderMarkdown(words)
    // Code and tables scroll by themselves, so the keyboard has to reach them.
    for (const wide of content.querySelectorAll('pre, table')) wide.setAttribute('tabindex', '0')
    place.current?.replaceChildren(content)
  }, [words])
  return (
    <TileFrame title={props.title}>
      {words === '' ? (
        <TileNote>{t('dashboards.tile.noText')}</TileNote>
      ) : (
        <div ref={place} className={classes.text} tabIndex={0} role="group" aria-label={props.title} />
      )}
    </TileFrame>
  )
}
