// A worker file that forgets to serve.
