// Owns what every account has: name, address and username, as fields of a form.
import { TextInput } from '@mantine/core'
import { t } from '../../lib/strings.ts'

/** What is typed. */
export interface PersonDraft {
  name: string
  email: string
  username: string
}

/** Whether a draft can be sent. */
export function isPersonReady(draft: PersonDraft): boolean {
  return draft.name.trim() !== '' && isEmail(draft.email)
}

function isEmail(text: string): boolean {
  return /^\S+@\S+$/.test(text.trim())
}

/** The fields. `tried` lets them complain, `said` is what the host says about one of them. */
export function PersonFields(props: {
  draft: PersonDraft
  tried: boolean
  said?: (field: keyof PersonDraft) => string | undefined
  usernameHelp?: string
  autoFocus?: boolean
  onChange: (draft: PersonDraft) => void
}) {
  const { draft, tried, said } = props
  return (
    <>
      <TextInput
        label={t('word.name')}
        value={draft.name}
        error={tried && draft.name.trim() === '' ? t('word.needName') : said?.('name')}
        autoComplete="off"
        data-autofocus={props.autoFocus || undefined}
        onChange={(event) => props.onChange({ ...draft, name: event.currentTarget.value })}
      />
      <TextInput
        type="email"
        label={t('word.emailAddress')}
        value={draft.email}
        error={tried && !isEmail(draft.email) ? t('word.needEmail') : said?.('email')}
        autoComplete="off"
        onChange={(event) => props.onChange({ ...draft, email: event.currentTarget.value })}
      />
      <TextInput
        label={t('word.username')}
        description={props.usernameHelp}
        value={draft.username}
        error={said?.('username')}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        onChange={(event) => props.onChange({ ...draft, username: event.currentTarget.value })}
      />
    </>
  )
}
