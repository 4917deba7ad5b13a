package cargo

import (
	"strings"

	"github.com/ambit-dev/ambit/effect"
)

// api says what a call of a well-known function does. arg is the index of the argument that names what it is done to;
// -1 where nothing names it.
type api struct {
	class  effect.Class
	access effect.Access
	arg    int
	tree   bool
	prog   string // for process: the program that is started
}

// functions is the table of the standard library and of well-known crates, by full path without generic arguments.
func functions(p string) (api, bool) {
	if rest, ok := cutAny(p, "std::fs::", "tokio::fs::", "async_std::fs::", "fs_err::", "async_fs::", "smol::fs::"); ok {
		return fileFunction(rest)
	}
	if rest, ok := cutAny(p, "std::net::", "tokio::net::", "async_std::net::", "mio::net::", "smol::net::"); ok {
		return netFunction(rest)
	}
	if rest, ok := cutAny(p, "reqwest::blocking::", "reqwest::", "ureq::", "surf::", "isahc::", "attohttpc::", "minreq::"); ok {
		return httpFunction(rest)
	}
	switch p {
	case "tempfile::tempdir", "tempfile::tempfile", "tempfile::NamedTempFile::new", "tempfile::TempDir::new", "tempfile::Builder::new",
		"env_logger_file::init":
		return api{effect.File, effect.Write, -1, true, "/tmp"}, true
	case "rusqlite::Connection::open", "sled::open", "redb::Database::create", "csv::Writer::from_path", "image::save_buffer":
		return api{effect.File, effect.Write, 0, false, ""}, true
	case "git2::Repository::clone", "gix::prepare_clone":
		return api{effect.Network, effect.Fetch, 0, false, ""}, true
	case "redis::Client::open", "mongodb::Client::with_uri_str", "postgres::Client::connect", "tokio_postgres::connect",
		"sqlx::PgPool::connect", "sqlx::MySqlPool::connect", "mysql::Pool::new", "lapin::Connection::connect", "tungstenite::connect",
		"tungstenite::client::connect", "tokio_tungstenite::connect_async", "async_nats::connect", "nats::connect",
		"tonic::transport::Channel::from_static", "tonic::transport::Endpoint::from_static", "suppaftp::FtpStream::connect",
		"diesel::PgConnection::establish", "diesel::MysqlConnection::establish":
		return api{effect.Network, effect.Send, 0, false, ""}, true
	case "hyper::Client::new", "hyper_util::client::legacy::Client::builder", "curl::easy::Easy::new", "aws_config::load_from_env", "aws_config::load_defaults",
		"octocrab::instance", "lettre::SmtpTransport::relay":
		return api{effect.Network, effect.Send, -1, false, ""}, true
	case "axum::Server::bind", "hyper::Server::bind", "actix_web::HttpServer::new", "rocket::build", "rocket::ignite", "warp::serve", "tonic::transport::Server::builder",
		"tiny_http::Server::http", "poem::Server::new":
		return api{effect.Network, effect.Listen, -1, false, ""}, true
	case "dotenv::dotenv", "dotenvy::dotenv", "dotenv::from_filename", "dotenvy::from_filename":
		return api{effect.Environment, effect.Read, -1, false, ".env"}, true
	case "std::env::set_var", "std::env::remove_var":
		return api{effect.Environment, effect.Write, 0, false, ""}, true
	case "std::env::var", "std::env::var_os", "dotenvy::var", "dotenv::var":
		return api{effect.Environment, effect.Read, 0, false, ""}, true
	case "open::that", "webbrowser::open", "opener::open":
		return api{effect.Process, effect.Exec, -1, false, "xdg-open"}, true
	case "libc::system", "libc::execv", "libc::execve", "libc::execvp", "libc::fork", "nix::unistd::execv", "nix::unistd::execve", "nix::unistd::execvp", "nix::unistd::fork":
		return api{effect.Process, effect.Exec, -1, false, ""}, true
	}
	return buildFunction(p)
}

// buildFunction is what the crates that build scripts use start (their documentation).
func buildFunction(p string) (api, bool) {
	run := func(prog string) (api, bool) { return api{effect.Process, effect.Exec, -1, false, prog}, true }
	switch p {
	case "cc::Build::new", "gcc::Build::new", "gcc::Config::new", "gcc::compile_library", "cc::windows_registry::find_tool":
		return run("cc")
	case "cxx_build::bridge", "cxx_build::bridges", "autocxx_build::Builder::new":
		return run("c++")
	case "cmake::Config::new", "cmake::build":
		return run("cmake")
	case "pkg_config::probe_library", "pkg_config::Config::new", "pkg_config::get_variable", "system_deps::Config::new", "metadeps::probe":
		return run("pkg-config")
	case "vcpkg::find_package", "vcpkg::Config::new":
		return run("vcpkg")
	case "tonic_build::compile_protos", "tonic_build::configure", "prost_build::compile_protos", "prost_build::Config::new",
		"protobuf_codegen::Codegen::new", "protoc_rust::Codegen::new", "tonic_prost_build::compile_protos", "tonic_prost_build::configure":
		return run("protoc")
	case "autotools::build", "autotools::Config::new":
		return run("sh")
	case "meson::build":
		return run("meson")
	case "rustc_version::version", "rustc_version::version_meta", "version_check::is_feature_flaggable", "version_check::triple", "version_check::is_min_version",
		"version_check::Channel::read", "autocfg::new", "autocfg::AutoCfg::new", "autocfg::probe_rustc_version":
		return run("rustc")
	case "vergen::EmitBuilder::builder", "vergen::vergen", "vergen_git2::Git2Builder::default", "vergen_gitcl::GitclBuilder::default", "shadow_rs::new", "shadow_rs::ShadowBuilder::builder",
		"git_version::git_version", "vergen_gix::GixBuilder::default":
		return run("git")
	case "pyo3_build_config::get", "pyo3_build_config::add_extension_module_link_args", "pyo3_build_config::use_pyo3_cfgs":
		return run("python3")
	case "bindgen::Builder::default", "bindgen::builder":
		return run("clang")
	case "embed_resource::compile", "winres::WindowsResource::new", "winresource::WindowsResource::new":
		return run("windres")
	}
	return api{}, false
}

// pure lists crates that build scripts and macros use and that by themselves start, write and connect nothing.
func pure(crate string) bool {
	switch crate {
	case "std", "core", "alloc", "proc_macro", "proc_macro2", "quote", "syn", "serde", "serde_json", "serde_derive", "serde_yaml", "toml", "toml_edit", "heck",
		"anyhow", "thiserror", "regex", "once_cell", "lazy_static", "itertools", "either", "cfg_if", "glob", "walkdir", "semver", "chrono", "time", "unicode_ident",
		"unicode_xid", "bitflags", "indexmap", "hashbrown", "memchr", "log", "rand", "hex", "base64", "sha2", "phf", "phf_shared", "convert_case", "darling",
		"proc_macro_error", "proc_macro_crate", "prettyplease", "paste", "strum", "cfg_aliases", "napi_build", "tauri_build", "rustversion", "libc", "ident_case",
		"Inflector", "inflector", "proc_macro_error2", "proc_macro2_diagnostics", "deranged", "num_traits", "smallvec", "fnv", "ahash", "rustc_hash", "bytes", "path_slash", "dunce":
		return true
	}
	return false
}

func cutAny(s string, prefixes ...string) (string, bool) {
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(s, p); ok {
			return rest, true
		}
	}
	return "", false
}

func fileFunction(name string) (api, bool) {
	switch name {
	case "write", "File::create", "File::create_new", "create_dir", "create_dir_all", "set_permissions", "DirBuilder::new":
		return api{effect.File, effect.Write, 0, false, ""}, true
	case "copy", "rename", "hard_link", "soft_link":
		return api{effect.File, effect.Write, 1, false, ""}, true
	case "remove_file", "remove_dir":
		return api{effect.File, effect.Delete, 0, false, ""}, true
	case "remove_dir_all":
		return api{effect.File, effect.Delete, 0, true, ""}, true
	case "read", "read_to_string", "File::open":
		return api{effect.File, effect.Read, 0, false, ""}, true
	}
	return api{}, false
}

func netFunction(name string) (api, bool) {
	switch name {
	case "TcpStream::connect", "TcpStream::connect_timeout", "UdpSocket::connect":
		return api{effect.Network, effect.Send, 0, false, ""}, true
	case "TcpListener::bind", "UdpSocket::bind":
		return api{effect.Network, effect.Listen, 0, false, ""}, true
	case "lookup_host":
		return api{effect.Network, effect.Fetch, 0, false, ""}, true
	}
	return api{}, false
}

func httpFunction(name string) (api, bool) {
	switch name {
	case "get", "head":
		return api{effect.Network, effect.Fetch, 0, false, ""}, true
	case "post", "put", "delete", "patch":
		return api{effect.Network, effect.Send, 0, false, ""}, true
	case "Client::new", "Client::builder", "ClientBuilder::new", "agent", "Agent::new", "AgentBuilder::new", "client", "HttpClient::new", "Session::new":
		return api{effect.Network, effect.Fetch, -1, false, "client"}, true
	}
	return api{}, false
}

// ownVariable tells whether cargo itself sets a variable for build scripts, compilers and tests (The Cargo Book,
// "Environment Variables").
func ownVariable(name string) bool {
	switch name {
	case "OUT_DIR", "TARGET", "HOST", "NUM_JOBS", "OPT_LEVEL", "PROFILE", "DEBUG", "RUSTC", "RUSTDOC", "RUSTC_LINKER", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER",
		"HOME", "PATH", "USER", "LOGNAME", "SHELL", "PWD", "TERM", "LANG", "TMPDIR", "HOSTNAME", "MAKEFLAGS", "LD_LIBRARY_PATH", "RUST_RECURSION_COUNT":
		return true
	}
	return strings.HasPrefix(name, "CARGO_") || strings.HasPrefix(name, "DEP_") || name == "CARGO"
}
