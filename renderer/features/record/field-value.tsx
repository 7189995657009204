// Owns showing a value of a record: choices and links as chips, addresses as links, Markdown as it is meant, and other
// texts as they were written.
import { Suspense } from 'react'
import { FieldChips } from '../../components/field-chips.tsx'
import { fieldTypeOf, findFieldType } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { t } from '../../lib/strings.ts'
import classes from './record.module.css'

const MarkdownView = lazyPart(async () => ({
  default: (await import('../../components/markdown-view.tsx')).MarkdownView,
}))

/** Where a value leads by itself: an address, a mailbox, a phone; undefined for everything else. */
function valueLink(field: FieldDefinition, value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  if (field.type === 'email') return `mailto:${value}`
  if (field.type === 'phone') return `tel:${value.replace(/[^\d+*#,;]/g, '')}`
  // What a field may hold beside these is text: nothing that runs or opens something on this computer is a link.
  return field.type === 'url' && /^(https?|mailto|tel):/i.test(value) ? value : undefined
}

/** Whether a value holds links, so that a button must not be drawn around it. */
export function holdsLinks(field: FieldDefinition, value: unknown): boolean {
  return (
    valueLink(field, value) !== undefined || (field.type === 'markdown' && typeof value === 'string' && value !== '')
  )
}

/** The value; `short` keeps it on one line. */
export function FieldValue(props: { field: FieldDefinition; value: unknown; context: FieldContext; short?: boolean }) {
  const { field, value, context, short } = props
  const type = fieldTypeOf(field)
  const chips = value == null ? null : type.chips?.(value, field, context)
  if (chips && chips.length > 0) {
    return <FieldChips chips={chips} className={classes.chips} />
  }
  const link = valueLink(field, value)
  if (link !== undefined) {
    const isWeb = /^https?:/i.test(link)
    return (
      <a className={classes.link} href={link} {...(isWeb ? { target: '_blank', rel: 'noopener noreferrer' } : {})}>
        {String(value)}
      </a>
    )
  }
  if (!short && field.type === 'markdown' && typeof value === 'string' && value !== '') {
    return (
      <Suspense fallback={value}>
        <MarkdownView text={value} ownId={undefined} />
      </Suspense>
    )
  }
  // One line is the grid's rule; here a text is shown as it was written.
  const isWritten = !short && typeof value === 'string' && findFieldType(field.type)?.shownAsWritten
  const text = isWritten ? value : type.format(value, field, context)
  if (text !== '') return <>{text}</>
  return short ? null : <span className={classes.none}>{t('record.empty')}</span>
}
