// The door of the sign-in feature. The pages themselves are loaded when one is needed.
export { NewPasswordFields, noPassword, passwordProblem, refusedPassword } from './new-password.tsx'
