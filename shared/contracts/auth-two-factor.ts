// Contracts of the second factor and of device authorization (D-32, D-36).
import { z } from 'zod'
import { defineRoutes } from '../route.ts'
import { AnyPayload, Done, NoBody, Password, Text, askingStep, authGet, authPost, openStep } from './auth-parts.ts'

const code = z.string().min(1).max(100)
const Verified = z.looseObject({ token: z.string().nullable().optional() })
const confirmed = z.object({ password: Password })
const form = 'application/x-www-form-urlencoded'

/** The routes of the second factor. */
export const authTwoFactorRoutes = defineRoutes({
  enableTwoFactor: authPost(
    'enableTwoFactor',
    'two-factor/enable',
    'Make a secret for an authenticator and backup codes; it counts once a code was verified.',
    z.object({ password: Password, issuer: z.string().max(100).optional() }),
    z.looseObject({ totpURI: z.string().optional(), backupCodes: z.array(z.string()).optional() }),
    { rateLimit: 'auth' },
  ),
  disableTwoFactor: authPost('disableTwoFactor', 'two-factor/disable', 'Do without a second factor.', confirmed, Done, {
    rateLimit: 'auth',
  }),
  getTotpUri: authPost(
    'getTotpUri',
    'two-factor/get-totp-uri',
    'The secret again, for another authenticator.',
    confirmed,
    z.looseObject({ totpURI: z.string() }),
    { rateLimit: 'auth' },
  ),
  verifyTotp: authPost(
    'verifyTotp',
    'two-factor/verify-totp',
    'Finish signing in, or switching the factor on, with a code of an authenticator.',
    z.object({ code, trustDevice: z.boolean().optional() }),
    Verified,
    openStep,
  ),
  sendOtp: authPost('sendOtp', 'two-factor/send-otp', 'Have a code mailed.', NoBody, Done, askingStep),
  verifyOtp: authPost(
    'verifyOtp',
    'two-factor/verify-otp',
    'Finish signing in with a mailed code.',
    z.object({ code, trustDevice: z.boolean().optional() }),
    Verified,
    openStep,
  ),
  generateBackupCodes: authPost(
    'generateBackupCodes',
    'two-factor/generate-backup-codes',
    'Replace the backup codes.',
    confirmed,
    z.looseObject({ backupCodes: z.array(z.string()) }),
    { rateLimit: 'auth' },
  ),
  verifyBackupCode: authPost(
    'verifyBackupCode',
    'two-factor/verify-backup-code',
    'Finish signing in with a backup code, which is used up.',
    z.object({ code, trustDevice: z.boolean().optional() }),
    Verified,
    openStep,
  ),
})

const userCode = z.object({ userCode: z.string().min(1).max(50) })

/** The routes of device authorization (RFC 8628). */
export const authDeviceRoutes = defineRoutes({
  requestDeviceCode: authPost(
    'requestDeviceCode',
    'device/code',
    'Begin to sign a device in.',
    z.unknown(),
    z.object({
      device_code: z.string(),
      user_code: z.string(),
      verification_uri: z.string(),
      verification_uri_complete: z.string(),
      expires_in: z.int(),
      intervalSeconds: z.int(),
    }),
    { ...askingStep, consumes: [form] },
  ),
  pollDeviceToken: authPost(
    'pollDeviceToken',
    'device/token',
    'Ask whether the device was approved.',
    z.unknown(),
    z.object({ access_token: z.string(), token_type: z.literal('Bearer'), expires_in: z.int(), scope: z.string() }),
    { ...openStep, consumes: [form] },
  ),
  getDevice: authGet(
    'getDevice',
    'device',
    'What a code is about, before it is approved.',
    z.object({ user_code: Text }),
    AnyPayload,
    {},
  ),
  approveDevice: authPost('approveDevice', 'device/approve', 'Let a device act as the caller.', userCode, Done, {
    rateLimit: 'auth',
  }),
  denyDevice: authPost('denyDevice', 'device/deny', 'Refuse a device.', userCode, Done, { rateLimit: 'auth' }),
})
