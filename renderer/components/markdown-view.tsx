// Owns showing a text that people wrote; apart from everything else, because what reads Markdown is loaded with it.
import { useLayoutEffect, useRef } from 'react'
import { renderMarkdown } from '../lib/markdown.ts'
import classes from './markdown-view.module.css'

/** The text; mentions of the reader stand out. */
export function MarkdownView(props: { text: string; ownId: string | undefined }) {
  const { text, ownId } = props
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const content = renderMarkdown(text)
    for (const mention of content.querySelectorAll('[data-mention]')) {
      if (mention.getAttribute('data-mention') === `user:${ownId}`) mention.setAttribute('data-me', '')
    }
    // Code and tables scroll by themselves, so the keyboard has to reach them.
    for (const wide of content.querySelectorAll('pre, table')) wide.setAttribute('tabindex', '0')
    place.current?.replaceChildren(content)
  }, [text, ownId])
  return <div ref={place} className={classes.markdown} />
}
