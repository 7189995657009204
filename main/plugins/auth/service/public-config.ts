// What everybody may know of how people sign in.
import type { z } from 'zod'
import type { AuthConfigShape } from '#shared/contracts/auth.ts'
import type { AuthConfig } from './auth-config.ts'

/** The public configuration. @source D-34 */
export function publicConfig(
  config: AuthConfig,
  signUpIsClosed: boolean,
  uiBasePath: string,
): z.input<typeof AuthConfigShape> {
  const { enabled, requireEmailVerification, minPasswordLength, maxPasswordLength } = config.emailAndPassword
  const emailAndPassword = {
    enabled,
    disableSignUp: signUpIsClosed,
    requireEmailVerification,
    minPasswordLength,
    maxPasswordLength,
  }
  const { organization, twoFactor, oidcProvider, deviceAuthorization, admin } = config.plugins
  return {
    emailAndPassword,
    emailPassword: emailAndPassword,
    socialProviders: [
      ...Object.keys(config.socialProviders).map((id) => ({
        id,
        name: id.charAt(0).toUpperCase() + id.slice(1),
        type: 'social' as const,
        enabled: true,
      })),
      ...config.oidcProviders.map(({ providerId, name }) => ({
        id: providerId,
        name: name ?? providerId,
        type: 'oidc' as const,
        enabled: true,
      })),
    ],
    features: {
      organization,
      ssoEnforced: config.ssoEnforced,
      twoFactor,
      oidcProvider,
      deviceAuthorization,
      admin,
    },
    uiBasePath,
  }
}
