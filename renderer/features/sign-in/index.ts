// The door of the sign-in feature.
export { SignInScreen } from './sign-in-screen.tsx'
export { OfflineScreen } from './offline-screen.tsx'
