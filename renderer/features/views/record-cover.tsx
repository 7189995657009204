// Owns the cover of a card: a picture, a colour, or the colour of an option; a tint where there is none.
import { IconPhoto } from '@tabler/icons-react'
import { fieldTypeOf } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { filesIn, shownFile } from '../../fields/file-text.ts'
import type { ShownFile } from '../../fields/file-text.ts'
import { useThumbnail } from '../../lib/use-thumbnail.ts'
import classes from './gallery.module.css'

/** The cover; it says nothing that the card does not say. */
export function RecordCover(props: { value: unknown; field: FieldDefinition; context: FieldContext }) {
  const { value, field, context } = props
  const [file] = fieldTypeOf(field).files ? filesIn(value) : []
  if (file) return <Picture file={shownFile(file)} />
  if (typeof value === 'string' && value !== '' && CSS.supports('color', value) && field.options === undefined) {
    return <span className={classes.cover} style={{ background: value }} aria-hidden />
  }
  const hue = fieldTypeOf(field).chips?.(value, field, context)?.[0]?.className ?? ''
  return (
    <span className={`${classes.cover} ${hue}`} data-empty={hue === '' || undefined} aria-hidden>
      {hue === '' && <IconPhoto size={24} stroke={1.5} />}
    </span>
  )
}

/** Longer side of a cover in pixels: the widest card on a screen with two for each. */
const coverEdge = 640

/** A file as a picture, where it is one. */
function Picture({ file }: { file: ShownFile }) {
  const address = useThumbnail(file, coverEdge)
  if (address) return <img className={classes.cover} src={address} alt="" decoding="async" />
  return (
    <span className={classes.cover} data-empty aria-hidden>
      {address === null && <IconPhoto size={24} stroke={1.5} />}
    </span>
  )
}
