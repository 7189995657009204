// Owns the page of one's own account: which part of it is shown is in the address.
import { useQuery } from '@tanstack/react-query'
import { Loading } from '../../components/delayed.tsx'
import { EmptyState, LoadFailure, Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { TabbedParts } from '../../components/tab-list.tsx'
import { navigate } from '../../lib/hash-location.ts'
import { isOwnerHere, meQuery } from '../../lib/me.ts'
import { t } from '../../lib/strings.ts'
import { authConfigQuery } from '../../lib/auth-config.ts'
import { ConsentList } from './consent-list.tsx'
import { KeyList } from './key-list.tsx'
import { PasswordPart } from './password-part.tsx'
import { ProfilePart } from './profile-part.tsx'
import { SessionList } from './session-list.tsx'
import { TwoFactorPart } from './two-factor-part.tsx'

const everyPart = ['profile', 'security', 'sessions', 'keys', 'applications'] as const

/** The page; `part` is one of the tabs, the profile when absent. */
export function AccountScreen(props: { part: string | undefined }) {
  const { data: me, error, refetch } = useQuery(meQuery)
  const { data: config } = useQuery(authConfigQuery)
  // Nobody is signed in to another application by a host that does not offer it.
  const parts = everyPart.filter((part) => part !== 'applications' || config?.features.oidcProvider === true)
  const chosen = parts.find((part) => part === props.part) ?? 'profile'
  if (error && me === undefined) {
    return (
      <Page title={t('word.yourAccount')}>
        <LoadFailure error={error} onRetry={() => void refetch()} />
      </Page>
    )
  }
  if (config === null || me === null) {
    return (
      <Page title={t('word.yourAccount')}>
        <EmptyState title={t('account.none')}>{t('account.none.text')}</EmptyState>
      </Page>
    )
  }
  if (me === undefined || config === undefined) {
    return (
      <Page title={t('word.yourAccount')}>
        <Loading />
      </Page>
    )
  }
  const withTwoFactor = config.features.twoFactor
  return (
    <Page title={t('word.yourAccount')}>
      {isOwnerHere(me) && (
        <div style={{ marginBlockStart: 16 }}>
          <Notice tone="info" title={t('account.owner')}>
            {t('account.owner.text')}
          </Notice>
        </div>
      )}
      <TabbedParts
        label={t('account.parts')}
        tabs={parts.map((key) => ({ key, label: t(`account.tab.${key}`) }))}
        chosen={chosen}
        onChoose={(key) => navigate(key === 'profile' ? '/account' : `/account/${key}`, { replace: true })}
      >
        {chosen === 'profile' && <ProfilePart me={me} />}
        {chosen === 'security' && (
          <>
            <PasswordPart limits={config.emailAndPassword} />
            {withTwoFactor && <TwoFactorPart isOn={me.user['twoFactorEnabled'] === true} />}
          </>
        )}
        {chosen === 'sessions' && <SessionList currentId={me.session.id} />}
        {chosen === 'keys' && <KeyList />}
        {chosen === 'applications' && <ConsentList email={me.user.email} />}
      </TabbedParts>
    </Page>
  )
}
