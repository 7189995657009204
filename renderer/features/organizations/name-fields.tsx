// Owns the two fields that name an organization: what people call it, and its name in addresses.
import { TextInput } from '@mantine/core'
import { t } from '../../lib/strings.ts'
import { isSlug } from './slug.ts'

/** The fields; complaints show once saving was tried. */
export function NameFields(props: {
  name: string
  slug: string
  tried: boolean
  /** Whether the dialog they stand in begins at the name. */
  focused?: true
  onName: (name: string) => void
  onSlug: (slug: string) => void
}) {
  const { name, slug, tried } = props
  return (
    <>
      <TextInput
        label={t('word.name')}
        value={name}
        error={tried && name.trim() === '' ? t('word.needName') : undefined}
        autoComplete="off"
        data-autofocus={props.focused}
        onChange={(event) => props.onName(event.currentTarget.value)}
      />
      <TextInput
        label={t('orgs.slug')}
        description={t('orgs.slug.help')}
        value={slug}
        error={tried && !isSlug(slug) ? t('orgs.slug.missing') : undefined}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        onChange={(event) => props.onSlug(event.currentTarget.value)}
      />
    </>
  )
}
