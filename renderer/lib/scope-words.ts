// Owns what the scopes an application asks for are called. Needs the words of signing in.
import { t } from './strings.ts'

/** A scope in words; `email` is the address it would tell. */
export function wordsOfScope(scope: string, email: string): string {
  if (scope === 'openid' || scope === 'profile' || scope === 'offline_access') return t(`consent.scope.${scope}`)
  return scope === 'email' ? t('consent.scope.email', { email }) : t('consent.scope.other', { scope })
}
