// The door of the home feature.
export { HomeScreen } from './home-screen.tsx'
