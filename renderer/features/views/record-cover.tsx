// Owns the cover of a card: a picture, a colour, or the colour of an option; a tint where there is none.
import { IconPhoto } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { fieldTypeOf } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { download } from '../../lib/api-client.ts'
import classes from './gallery.module.css'

/** The cover; it says nothing that the card does not say. */
export function RecordCover(props: { value: unknown; field: FieldDefinition; context: FieldContext }) {
  const { value, field, context } = props
  const fileId = fileOf(value)
  if (fileId !== undefined) return <Picture id={fileId} />
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

/** The first file of a value. */
function fileOf(value: unknown): string | undefined {
  const [first] = Array.isArray(value) ? (value as unknown[]) : [value]
  if (typeof first !== 'object' || first === null) return undefined
  const { fileId } = first as { fileId?: unknown }
  return typeof fileId === 'string' ? fileId : undefined
}

/** A file as a picture; read with the credential of the page, so that nobody else is told of it. */
function Picture({ id }: { id: string }) {
  const { data } = useQuery({
    queryKey: ['picture', id],
    queryFn: async ({ signal }) => (await download('downloadFile', { params: { id }, query: {}, signal })).file,
    staleTime: Infinity,
  })
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    if (!data) return
    const made = URL.createObjectURL(data)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [data])
  if (address === undefined) return <span className={classes.cover} data-empty aria-hidden />
  return <img className={classes.cover} src={address} alt="" />
}
